import { LIVE_CREDENTIALS, LIVE_GUEST_SECRET, LIVE_PROTOCOL } from '../../../contract/live/limits.ts';
import { liveParams } from '../../../contract/live/messages.ts';
import { limitKey } from '../../lib/addresses.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import { bearerOf, offeredProtocols, type Route, route, Upgrade } from '../../platform/http/index.ts';
import type { LiveHub } from './hub.ts';
import { MAX_REQUEST_BYTES } from './limits.ts';
import { admitVisitor, type VisitorContext } from './visitor.ts';

/** Connections that an address can open. After a restart, everybody in an office opens theirs again. */
const CONNECTIONS = { points: 600, seconds: 60 };

export function liveRoutes(context: VisitorContext & { limits: Limits; hub: LiveHub }): Route[] {
  const { hub } = context;
  const limit = context.limits.limit('live-connections', CONNECTIONS, 'Too many connections.');
  return [
    route({
      method: 'GET',
      path: '/api/pages/:id/live',
      operationId: 'connectToLive',
      upgrades: true,
      // A token that can publish the page can also speak to its visitors. Others see what guests see.
      access: { kind: 'visitor or guest', scope: 'pages:write' },
      summary: 'Connect to the live channels of a page (WebSocket; `PageLive` uses it)',
      params: liveParams,
      async handle({ params, caller, address, request }) {
        const since = hub.changes;
        await limit.take(limitKey(address));
        const offered = offeredProtocols(request);
        const { page, visitor } = await admitVisitor(context, caller, params.id, {
          bearer: bearerOf(request),
          guest: guestIn(offered),
        });
        return new Upgrade(hub.connect(visitor, page, limitKey(address), since), {
          kind: 'live',
          protocol: offered.includes(LIVE_PROTOCOL) ? LIVE_PROTOCOL : undefined,
          maxMessageBytes: MAX_REQUEST_BYTES,
        });
      },
    }),
  ];
}

function guestIn(offered: string[]): string | undefined {
  const secret = offered.find((name) => name.startsWith(LIVE_CREDENTIALS.guest));
  const found = secret?.slice(LIVE_CREDENTIALS.guest.length);
  return found !== undefined && LIVE_GUEST_SECRET.test(found) ? found : undefined;
}
