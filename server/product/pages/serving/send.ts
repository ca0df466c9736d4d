import { pickVariant } from '../../../platform/http/index.ts';
import type { CachedPage } from './page-cache.ts';

/**
 * Sends a page from memory. This is the hottest path of the service: it looks at two headers of the request and
 * builds one response.
 */
export function sendPage(
  page: CachedPage,
  request: Request,
  options: { requestId: string; policy: string | undefined; isPrivate?: boolean; isFramed?: boolean },
): { response: Response; isView: boolean } {
  const variant = pickVariant(page, request.headers.get('accept-encoding'));
  const headers: Record<string, string> = {
    'content-type': 'text/html; charset=utf-8',
    // The copy for a frame has another policy. A browser that kept it would use that policy outside the frame as well.
    'cache-control': options.isPrivate || options.isFramed ? 'private, no-store' : 'no-cache',
    etag: variant.etag,
    vary: 'Accept-Encoding, Sec-Fetch-Mode, Sec-Fetch-Dest',
    'x-content-type-options': 'nosniff',
    'x-request-id': options.requestId,
  };
  if (variant.encoding) headers['content-encoding'] = variant.encoding;
  if (options.policy) headers['content-security-policy'] = options.policy;
  if (page.isUnlisted) headers['x-robots-tag'] = 'noindex';

  const known = request.headers.get('if-none-match');
  if (known !== null && !options.isFramed && (known === '*' || known.includes(page.tag))) {
    return { response: new Response(null, { status: 304, headers }), isView: false };
  }
  return { response: new Response(variant.bytes, { headers }), isView: request.method === 'GET' };
}

/** Sends a page with a visitor's page session in it: for this visitor alone, and for no cache. */
export function sendPersonalPage(
  page: CachedPage,
  html: Uint8Array<ArrayBuffer>,
  options: { requestId: string; policy: string },
): Response {
  const headers: Record<string, string> = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'private, no-store',
    'content-security-policy': options.policy,
    'x-content-type-options': 'nosniff',
    'x-request-id': options.requestId,
  };
  if (page.isUnlisted) headers['x-robots-tag'] = 'noindex';
  return new Response(html, { headers });
}
