import { isCustomHeader } from '../../../platform/http/index.ts';

/** Which headers pass between callers and owners' code. */

const PASSED_ON = [
  'content-type',
  'accept',
  'accept-language',
  'accept-encoding',
  'accept-charset',
  'user-agent',
];

/** What a function learns about its caller: never cookies or credentials. `who` comes from us, not from the request. */
export function requestHeaders(
  headers: Headers,
  address: string,
  who?: Record<string, string>,
): Record<string, string> {
  const passed: Record<string, string> = { 'x-forwarded-for': address, ...who };
  for (const name of PASSED_ON) {
    const value = headers.get(name);
    if (value !== null) passed[name] = value;
  }
  return passed;
}

/** What a function also learns from a request for a WebSocket: the subprotocols that the client offers. */
export function socketHeaders({ request, who }: { request: Request; who?: Record<string, string> }) {
  const offered = request.headers.get('sec-websocket-protocol');
  return { ...who, ...(offered !== null && { 'sec-websocket-protocol': offered }) };
}

/** Headers that describe the response itself, and affect nothing else. */
const DESCRIBES_ANSWER = new Set([
  'cache-control',
  'content-disposition',
  'content-language',
  'content-type',
  'etag',
  'last-modified',
  'link',
  'retry-after',
  'vary',
]);

/** On its own host a function also decides who can read its responses and what its own documents can do. */
const ACTS_ON_OWN_ORIGIN = new Set([
  'accept-ranges',
  'allow',
  'content-location',
  'content-range',
  'content-security-policy',
  'content-security-policy-report-only',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'expires',
  'permissions-policy',
  'referrer-policy',
  'server-timing',
  'timing-allow-origin',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-frame-options',
]);

/** Single encodings that every proxy and browser can decode. */
const ENCODINGS = new Set(['br', 'deflate', 'gzip', 'zstd']);

/** Headers of a response. A function cannot set cookies, so each name occurs once. */
type PassedHeaders = Record<string, string>;

/** A response on our own origin: it can be read from anywhere, and must not affect anything. */
export function sandboxedHeaders(headers: Headers, status: number): PassedHeaders {
  const passed = passOn(headers, status, () => false);
  passed['content-security-policy'] = 'sandbox';
  passed['x-content-type-options'] = 'nosniff';
  passed['access-control-allow-origin'] = '*';
  return passed;
}

/** A response on the function's own origin, which it can control, unlike the proxy in front of it. */
export function ownHostHeaders(headers: Headers, status: number): PassedHeaders {
  return passOn(
    headers,
    status,
    (name) => ACTS_ON_OWN_ORIGIN.has(name) || name.startsWith('access-control-'),
  );
}

function passOn(headers: Headers, status: number, isAlsoAllowed: (name: string) => boolean): PassedHeaders {
  const passed: PassedHeaders = {};
  headers.forEach((value, name) => {
    if (isAlsoAllowed(name) || isHarmless(name, value, status)) passed[name] = value;
  });
  // A browser replaces each part of such a response by the next, and applies the headers of each part.
  const type = passed['content-type'];
  if (type !== undefined && /x-mixed-replace/i.test(type))
    passed['content-type'] = 'application/octet-stream';
  return passed;
}

function isHarmless(name: string, value: string, status: number): boolean {
  if (DESCRIBES_ANSWER.has(name)) return true;
  if (name === 'location') return status === 201 || (status >= 300 && status < 400);
  // The body is passed on unchanged, so its length and encoding are right.
  if (name === 'content-length') return true;
  if (name === 'content-encoding') return ENCODINGS.has(value.trim().toLowerCase());
  return isCustomHeader(name);
}
