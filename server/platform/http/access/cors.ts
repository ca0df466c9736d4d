import { type AccessKind, GATE } from './gate.ts';

const EXPOSED = 'X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset';
const ALLOWED = 'Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, X-Page-Session';

/**
 * Headers that let a page elsewhere read the answer of a route with this access. Nothing ever allows credentials: a
 * bearer token is put on by whoever holds it, a cookie would be put on by the browser. Pages in sandbox isolation,
 * whose origin is `null`, show their page session in a header.
 */
export function corsHeaders(kind: AccessKind, origin: string | null): Record<string, string> {
  const { readableBy } = GATE[kind];
  if (readableBy === 'nobody' || origin === null || (readableBy === 'null' && origin !== 'null')) return {};
  return {
    'access-control-allow-origin': readableBy,
    'access-control-expose-headers': EXPOSED,
    ...(readableBy === 'null' && { vary: 'Origin' }),
  };
}

/** The answer to a browser's question whether it may send a request. */
export function preflight(kind: AccessKind | undefined, origin: string | null, methods: string[]): Response {
  const readable = kind ? corsHeaders(kind, origin) : {};
  const headers: Record<string, string> = { allow: methods.join(', '), ...readable };
  if (readable['access-control-allow-origin']) {
    headers['access-control-allow-methods'] = methods.join(', ');
    headers['access-control-allow-headers'] = ALLOWED;
    headers['access-control-max-age'] = '600';
  }
  return new Response(null, { status: 204, headers });
}
