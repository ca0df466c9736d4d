import { oauthEndpoints } from '../../../contract/oauth/endpoints.ts';
import type { ResourceMetadata, ServerMetadata } from '../../../contract/oauth/metadata.ts';
import { GRANT_TYPES } from '../../../contract/oauth/protocol.ts';
import { APP_SCOPES } from '../../../contract/scopes.ts';
import { notFound } from '../../lib/errors.ts';
import { handle, type Route } from '../../platform/http/index.ts';
import type { OAuthContext } from './context.ts';

/** Routes with the metadata for OAuth clients (RFC 8414 and RFC 9728). */
export function metadataRoutes(context: OAuthContext): Route[] {
  const { baseUrl } = context;
  return [
    handle(oauthEndpoints.getAuthorizationServer, () => serverMetadata(baseUrl)),
    handle(oauthEndpoints.getProtectedResource, () => resourceMetadata(context, baseUrl)),
    handle(oauthEndpoints.getProtectedMcp, ({ request, isOnPageHost }) =>
      resourceMetadata(context, `${isOnPageHost ? pageOrigin(request, baseUrl) : baseUrl}/mcp`),
    ),
    handle(oauthEndpoints.getProtectedPage, ({ params }) =>
      resourceMetadata(context, `${baseUrl}/p/${params.slug}/mcp`),
    ),
  ];
}

function serverMetadata(baseUrl: string): ServerMetadata {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    registration_endpoint: `${baseUrl}/oauth/register`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    device_authorization_endpoint: `${baseUrl}/oauth/device_authorization`,
    scopes_supported: [...APP_SCOPES],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [...GRANT_TYPES],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: `${baseUrl}/docs/agents`,
  };
}

/** On a page's own host, `/mcp` is the MCP server of that page. */
function pageOrigin(request: Request, baseUrl: string): string {
  return `${new URL(baseUrl).protocol}//${new URL(request.url).host}`;
}

async function resourceMetadata(
  { baseUrl, resources }: OAuthContext,
  uri: string,
): Promise<ResourceMetadata> {
  const found = await resources.find(uri);
  if (!found) throw notFound('This resource was not found.');
  return {
    resource: found.uri,
    authorization_servers: [baseUrl],
    // A list without items must be left out (RFC 9728).
    ...(found.scopes.length > 0 && { scopes_supported: [...found.scopes] }),
    bearer_methods_supported: ['header'],
    resource_name: found.name,
    resource_documentation: `${baseUrl}/docs/agents`,
  };
}
