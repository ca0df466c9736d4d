/** Which headers pass between callers and owners' code. */

const PASSED_ON = [
  'content-type',
  'accept',
  'accept-language',
  'accept-encoding',
  'accept-charset',
  'user-agent',
];

/** What a function is told of its caller: never cookies or credentials. */
export function requestHeaders(headers: Headers, address: string): Record<string, string> {
  const passed: Record<string, string> = { 'x-forwarded-for': address };
  for (const name of PASSED_ON) {
    const value = headers.get(name);
    if (value !== null) passed[name] = value;
  }
  return passed;
}

const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
const NEVER_BACK = new Set([...HOP_BY_HOP, 'set-cookie', 'set-cookie2', 'x-request-id']);

/** Headers by which an answer could act on the whole origin it comes from. */
const ACTS_ON_ORIGIN = new Set([
  'alt-svc',
  'clear-site-data',
  'content-security-policy',
  'content-security-policy-report-only',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'document-policy',
  'link',
  'nel',
  'origin-agent-cluster',
  'permissions-policy',
  'public-key-pins',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-login',
  'sourcemap',
  'speculation-rules',
  'strict-transport-security',
  'timing-allow-origin',
  'www-authenticate',
]);

/** An answer on our own origin: it may be read from anywhere, and may act on nothing. */
export function sandboxedHeaders(headers: Headers): Headers {
  const passed = new Headers();
  for (const [name, value] of headers) {
    if (NEVER_BACK.has(name) || ACTS_ON_ORIGIN.has(name) || name.startsWith('access-control-')) continue;
    passed.append(name, value);
  }
  passed.set('content-security-policy', 'sandbox');
  passed.set('x-content-type-options', 'nosniff');
  passed.set('access-control-allow-origin', '*');
  return passed;
}

/** An answer on the function's own origin, which is its own to act on. */
export function ownHostHeaders(headers: Headers): Headers {
  const passed = new Headers();
  for (const [name, value] of headers) if (!NEVER_BACK.has(name)) passed.append(name, value);
  return passed;
}
