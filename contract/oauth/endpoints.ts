import { z } from 'zod';
import { endpoint, endpoints } from '../endpoint.ts';
import { idParams } from '../fields.ts';
import { ACCOUNT_SCOPE } from '../scopes.ts';
import { ConnectedAppList } from './connected-apps.ts';
import { ResourceMetadata, ServerMetadata } from './metadata.ts';
import {
  ClientMetadata,
  DeviceAuthorization,
  DeviceRequest,
  IssuedTokens,
  OAuthFailure,
  RegisteredClient,
  Revocation,
  TokenExchange,
} from './protocol.ts';

const RESOURCE_PATH = '/.well-known/oauth-protected-resource';
const BODY_LIMIT = 16 * 1024;

export const oauthEndpoints = endpoints({
  getAuthorizationServer: endpoint({
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    access: { kind: 'client' },
    summary: 'Where and how OAuth clients get access',
    response: ServerMetadata,
  }),
  getProtectedResource: endpoint({
    method: 'GET',
    path: RESOURCE_PATH,
    access: { kind: 'client' },
    summary: 'How OAuth clients get access to the API',
    response: ResourceMetadata,
  }),
  getProtectedMcp: endpoint({
    method: 'GET',
    path: `${RESOURCE_PATH}/mcp`,
    access: { kind: 'public to pages' },
    summary: 'How OAuth clients get access to the MCP server',
    response: ResourceMetadata,
  }),
  getProtectedPage: endpoint({
    method: 'GET',
    path: `${RESOURCE_PATH}/p/:slug/mcp`,
    access: { kind: 'client' },
    summary: 'How OAuth clients get access to one page',
    params: z.object({ slug: z.string().meta({ maxLength: 100 }) }),
    response: ResourceMetadata,
  }),
  registerClient: endpoint({
    failureBody: OAuthFailure,
    method: 'POST',
    path: '/oauth/register',
    access: { kind: 'client' },
    summary: 'Register an OAuth client; it gets no secret, and must use PKCE',
    body: ClientMetadata,
    bodyLimit: BODY_LIMIT,
    status: 201,
    response: RegisteredClient,
  }),
  authorizeDevice: endpoint({
    failureBody: OAuthFailure,
    method: 'POST',
    path: '/oauth/device_authorization',
    access: { kind: 'client' },
    summary: 'Get a code that a person types in their browser (OAuth)',
    body: DeviceRequest,
    acceptsForm: true,
    failures: ['UNAUTHORIZED'],
    response: DeviceAuthorization,
  }),
  exchangeToken: endpoint({
    failureBody: OAuthFailure,
    method: 'POST',
    path: '/oauth/token',
    access: { kind: 'client' },
    summary: 'Exchange a code or a refresh token for tokens (OAuth)',
    body: TokenExchange,
    acceptsForm: true,
    failures: ['UNAUTHORIZED'],
    response: IssuedTokens,
  }),
  revokeToken: endpoint({
    failureBody: OAuthFailure,
    method: 'POST',
    path: '/oauth/revoke',
    access: { kind: 'client' },
    summary: 'Disconnect an app by one of its tokens (OAuth)',
    body: Revocation,
    acceptsForm: true,
    failures: ['UNAUTHORIZED'],
    answers: [{ status: 200, description: 'The token is not valid any more.', type: 'text/plain' }],
  }),
  listConnectedApps: endpoint({
    method: 'GET',
    path: '/api/auth/apps',
    access: { kind: 'management', scope: ACCOUNT_SCOPE },
    summary: 'List the apps that you connected to your account',
    response: ConnectedAppList,
  }),
  disconnectApp: endpoint({
    method: 'DELETE',
    path: '/api/auth/apps/:id',
    access: { kind: 'management', scope: ACCOUNT_SCOPE },
    summary: 'Disconnect an app: its tokens end',
    params: idParams,
    status: 204,
  }),
});
