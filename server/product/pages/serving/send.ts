import { pickVariant, type Variants, type Visit, withSize } from '../../../platform/http/index.ts';
import { type PreparedVariant, type ServedFrom, toOwnBody } from './prepared.ts';
import { type Rendered, type VisitorTokens, withTokens } from './render/render.ts';

/** The Vary header: programs can also ask for Markdown at the same address. */
export const VARY = 'Accept, Accept-Encoding, Sec-Fetch-Mode, Sec-Fetch-Dest';

/** A rendered document, ready to send: that of a page, or an HTML file beside it. */
export interface SentDocument
  extends Variants<PreparedVariant>,
    Pick<Rendered, 'tag' | 'sessionAt' | 'links'> {
  /** True if everyone can see the page: it is sent without asking who they are. */
  isOpen: boolean;
  isUnlisted: boolean;
  /** A file of a page can be read by the page's own script, which has no origin at the base. */
  isFile?: boolean;
}

interface SendOptions {
  servedFrom: ServedFrom;
  /** The content security policy, equal for all requests that are served from there. */
  policy: string | undefined;
}

/**
 * Sends a document from memory. This is the hottest path of the service: it looks at two headers of the request and
 * copies a prepared response. The status is 200, or 304 if the client has the document.
 */
export function sendPage(
  page: SentDocument,
  request: Request,
  options: SendOptions,
  visit?: Pick<Visit, 'requestId' | 'isIdSent'>,
): Response {
  const variant = pickVariant(page, request.headers.get('accept-encoding'));
  const known = request.headers.get('if-none-match');
  if (known !== null && options.servedFrom !== 'frame' && (known === '*' || known.includes(page.tag))) {
    const headers = buildHeaders(page, variant, options);
    return new Response(null, { status: 304, headers });
  }
  const prepared = variant.responses[options.servedFrom] ?? prepareResponse(page, variant, options);
  if (visit) {
    // Set the header in the original, whose headers are already an object: each copy would have to create one.
    prepared.headers.set('x-request-id', visit.requestId);
    visit.isIdSent = true;
  }
  return withSize(prepared.clone() as Response, variant.size);
}

function prepareResponse(page: SentDocument, variant: PreparedVariant, options: SendOptions): Response {
  const response = new Response(toOwnBody(variant.body), { headers: buildHeaders(page, variant, options) });
  variant.responses[options.servedFrom] = response;
  return response;
}

function buildHeaders(page: SentDocument, variant: PreparedVariant, { servedFrom, policy }: SendOptions) {
  // The copy for a frame has another policy. A browser that cached it would use that policy outside the frame too.
  const isKept = page.isOpen && servedFrom !== 'frame';
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': isKept ? 'no-cache' : 'private, no-store',
    etag: variant.etag,
    vary: VARY,
    link: page.links,
    'x-content-type-options': 'nosniff',
    ...(variant.encoding && { 'content-encoding': variant.encoding }),
    ...(policy && { 'content-security-policy': policy }),
    ...((page.isUnlisted || !page.isOpen) && { 'x-robots-tag': 'noindex' }),
    ...(page.isFile && isReadable(page, servedFrom) && { 'access-control-allow-origin': '*' }),
  };
}

/** Whether scripts without an origin can read a document: everyone can see it, or its address is the secret. */
export function isReadable({ isOpen }: { isOpen: boolean }, servedFrom: ServedFrom): boolean {
  return (servedFrom === 'base' && isOpen) || servedFrom === 'key';
}

/** Sends a page's own document for what it does not have. It is not cached, and not a view. */
export function sendAsMissing(page: SentDocument, request: Request, options: SendOptions): Response {
  const variant = pickVariant(page, request.headers.get('accept-encoding'));
  const { etag: _, ...headers } = buildHeaders(page, variant, options);
  return withSize(new Response(toOwnBody(variant.body), { status: 404, headers }), variant.size);
}

/** Sends a page with a visitor's page session or pass in it: only for this visitor, and never cached. */
export async function sendPersonalPage(
  page: SentDocument,
  tokens: VisitorTokens,
  policy: string,
): Promise<Response> {
  const { body } = page.plain;
  const html = withTokens(body instanceof Blob ? await body.bytes() : body, page.sessionAt, tokens);
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'private, no-store',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    // The URL of the page can have a key, which must not be in a referrer.
    ...(!page.isOpen && { 'referrer-policy': 'no-referrer' }),
    link: page.links,
    ...((page.isUnlisted || !page.isOpen) && { 'x-robots-tag': 'noindex' }),
  };
  return withSize(new Response(html, { headers }), { bytes: html.length, from: 'memory' });
}
