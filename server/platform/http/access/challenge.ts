import { AppError, type PublicError } from '../../../lib/errors.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** MCP servers are resources of their own, so that a client can ask for access to one of them only. */
const MCP_PATH = /^\/(p\/[^/]+\/)?mcp$/;

/** Where a client learns how to get a token for the resource at this path. */
export function resourceMetadataUrl(origin: string, path: string): string {
  return origin + WELL_KNOWN + (MCP_PATH.test(path) ? path : '');
}

/**
 * The header that tells a client which token is missing, and where to get one. `pageOrigin` is the page's own host that
 * the request came to, if any: its MCP server is not ours.
 */
export function makeChallenge(
  failure: PublicError,
  url: string,
  { baseUrl, pageOrigin = baseUrl }: { baseUrl: string; pageOrigin?: string | undefined },
): Record<string, string> {
  const isScope = failure instanceof AppError && failure.code === 'INSUFFICIENT_SCOPE';
  if (failure.status !== 401 && !isScope) return {};
  const { code, scope } = failure.toBody();
  const error = isScope ? 'insufficient_scope' : code === 'INVALID_TOKEN' ? 'invalid_token' : undefined;
  const path = URL.parse(url)?.pathname ?? '';
  const metadata = resourceMetadataUrl(MCP_PATH.test(path) ? pageOrigin : baseUrl, path);
  const parts = [
    ...(error ? [`error="${error}"`] : []),
    ...(typeof scope === 'string' ? [`scope="${scope}"`] : []),
    `resource_metadata="${metadata}"`,
  ];
  return { 'www-authenticate': `Bearer ${parts.join(', ')}` };
}
