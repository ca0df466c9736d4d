import { hashSecret } from '../../../../lib/secrets.ts';
import { isKnown } from '../../../../platform/http/index.ts';
import type { CachedPage } from '../page-cache.ts';

/** Sends a text of a page, with the same rules for caches as the page itself. */
export function sendText(
  page: Pick<CachedPage, 'isOpen' | 'isUnlisted' | 'links'>,
  request: Request,
  text: string,
  { type, vary }: { type: 'text/plain' | 'text/markdown'; vary?: string },
): Response {
  const etag = `"${hashSecret(text).slice(0, 22)}"`;
  const headers: Record<string, string> = {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': page.isOpen ? 'no-cache' : 'private, no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
    link: page.links,
    etag,
    ...(vary && { vary }),
    // A page that everyone can see can also be read by the scripts of others.
    ...(page.isOpen && { 'access-control-allow-origin': '*' }),
    ...((page.isUnlisted || !page.isOpen) && { 'x-robots-tag': 'noindex' }),
  };
  return isKnown(request, etag)
    ? new Response(null, { status: 304, headers })
    : new Response(text, { headers });
}
