/**
 * Runs in the egress, in front of the network. When a request is refused or fails, the guard says so in its
 * response and prints which cell sent the request.
 */
import { EGRESS_HEADERS, type EgressEvent } from '../protocol.ts';

/** A function's longest response takes five and a half minutes; nothing that it requests needs to take longer. */
const MAX_REQUEST_MS = 6 * 60_000;

export default {
  async fetch(request: Request): Promise<Response> {
    const onward = new Request(request);
    onward.headers.delete(EGRESS_HEADERS.cell);
    try {
      return await fetch(onward, { signal: AbortSignal.timeout(MAX_REQUEST_MS) });
    } catch (error) {
      const { protocol, host } = new URL(request.url);
      const to = `${protocol}//${host}`.slice(0, 300);
      const event: EgressEvent = {
        event: 'request-failed',
        cell: request.headers.get(EGRESS_HEADERS.cell),
        to,
        error: (error as Error).message,
      };
      console.log(JSON.stringify(event));
      const text = `Quire could not connect to ${to}: it is not a public address, or it does not answer. The function's log says which.\n`;
      return new Response(text, { status: 502, headers: { [EGRESS_HEADERS.neverSent]: '1' } });
    }
  },
};
