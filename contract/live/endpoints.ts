import { endpoint, endpoints } from '../endpoint.ts';
import { liveParams } from './messages.ts';

export const liveEndpoints = endpoints({
  connectToLive: endpoint({
    method: 'GET',
    path: '/api/pages/:id/live',
    upgrades: true,
    // A token that can publish the page can also speak to its visitors. Others see what guests see.
    access: { kind: 'visitor or guest', scope: 'pages:write' },
    summary: 'Connect to the live channels of a page (WebSocket; `PageLive` uses it)',
    params: liveParams,
  }),
});
