import { liveEndpoints } from '../../../contract/live/endpoints.ts';
import { LIVE_CREDENTIALS, LIVE_GUEST_SECRET, LIVE_PROTOCOL } from '../../../contract/live/limits.ts';
import { limitKey } from '../../lib/addresses.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import { handle, offeredProtocols, type Route, readBearer, Upgrade } from '../../platform/http/index.ts';
import type { LiveHub } from './hub.ts';
import { MAX_REQUEST_BYTES } from './limits.ts';
import { admitVisitor, type VisitorContext } from './visitor.ts';

/** The rate limit of connections per IP address. After a restart, a whole office connects again. */
const CONNECTIONS = { points: 600, seconds: 60 };

export function liveRoutes(context: VisitorContext & { limits: Limits; hub: LiveHub }): Route[] {
  const { hub } = context;
  const limit = context.limits.limit(
    'live-connections',
    CONNECTIONS,
    'Too many connections. Try again {wait}.',
  );
  return [
    handle(liveEndpoints.connectToLive, async ({ params, caller, address, request }) => {
      const since = hub.changes;
      await limit.take(limitKey(address));
      const offered = offeredProtocols(request);
      const { page, visitor } = await admitVisitor(context, caller, params.id, {
        bearer: readBearer(request),
        guest: guestIn(offered),
      });
      return new Upgrade(hub.connect(visitor, page, limitKey(address), since), {
        kind: 'live',
        protocol: offered.includes(LIVE_PROTOCOL) ? LIVE_PROTOCOL : undefined,
        maxMessageBytes: MAX_REQUEST_BYTES,
      });
    }),
  ];
}

function guestIn(offered: string[]): string | undefined {
  const secret = offered.find((name) => name.startsWith(LIVE_CREDENTIALS.guest));
  const found = secret?.slice(LIVE_CREDENTIALS.guest.length);
  return found !== undefined && LIVE_GUEST_SECRET.test(found) ? found : undefined;
}
