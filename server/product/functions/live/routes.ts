import { callEndpoints } from '../../../../contract/functions/call-endpoints.ts';
import { limitKey } from '../../../lib/addresses.ts';
import { type EventStream, type EventStreams, handle, type Route } from '../../../platform/http/index.ts';
import { isFromPage } from '../calls/who-calls.ts';
import { CallTab, type CallTabContext } from './call-tab.ts';

export function liveCallRoutes(context: CallTabContext & { streams: EventStreams }): Route[] {
  const { db, pages, streams } = context;
  return [
    handle(callEndpoints.followCalls, async ({ params, body, caller, request, address, pageHost }) => {
      const { actor, passFor } = caller;
      const page = await pages.see(db, await pages.find(db, params.id), caller);
      // Read the pass now, so that the stream does not keep the whole request in memory.
      const pass = passFor?.(page.id);
      const reader = {
        pageId: page.id,
        caller: { actor, passFor: () => pass },
        isSurePage: isFromPage(request, pageHost),
        source: limitKey(address),
      };
      const begin = (stream: EventStream) => new CallTab(context, reader, stream).start(body.calls);
      return streams.open(request.signal, begin, { userId: actor?.userId, address });
    }),
  ];
}
