import { LIVE_CREDENTIALS } from '../../../../contract/live/limits.ts';
import { offeredProtocols } from './upgrade.ts';

/** The headers with these credentials in requests that do not ask for a WebSocket. */
const HEADERS = [
  [LIVE_CREDENTIALS.session, 'x-page-session'],
  [LIVE_CREDENTIALS.pass, 'x-page-pass'],
] as const;

/**
 * The request with the credentials that a page without cookies offers as subprotocols, because a browser cannot set
 * headers of a WebSocket.
 */
export function withOfferedCredentials(request: Request): Request {
  const offered = offeredProtocols(request);
  const headers = new Headers(request.headers);
  for (const [prefix, header] of HEADERS) {
    const found = offered.find((name) => name.startsWith(prefix));
    if (found !== undefined && !headers.has(header)) headers.set(header, found.slice(prefix.length));
  }
  return new Request(request.url, { headers });
}
