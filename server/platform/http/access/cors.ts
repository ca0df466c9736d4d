import { type AccessKind, GATE } from '../../../../contract/access-kinds.ts';

const EXPOSED =
  'X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, WWW-Authenticate';
const ALLOWED =
  'Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, X-Page-Pass, X-Page-Session';

/**
 * Headers that let a page on another origin read the response of a route with this access. Credentials are never
 * allowed: a script must add a bearer token itself, but the browser would add a cookie on its own. Pages in sandbox
 * isolation, whose origin is `null`, send their page session in a header.
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

/**
 * Responds to a CORS preflight request for a file of a page, whoever asks and whatever is there: in sandbox isolation,
 * the page's own script has no origin, and libraries such as htmx add headers. The response to GET decides whether the
 * script can read the file.
 */
export function filePreflight(): Response {
  const headers = {
    allow: 'GET, HEAD, OPTIONS',
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD',
    'access-control-allow-headers': '*',
    'access-control-max-age': '600',
  };
  return new Response(null, { status: 204, headers });
}

/** Responds to a CORS preflight request. */
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
