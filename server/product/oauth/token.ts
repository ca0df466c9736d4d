import {
  DEVICE_CODE_GRANT,
  GRANT_TYPES,
  IssuedTokens,
  MAX_CLIENT_ID,
  Revocation,
  TokenExchange,
} from '../../../contract/oauth/protocol.ts';
import { type Route, route } from '../../platform/http/index.ts';
import type { OAuthContext } from './context.ts';
import { exchangeDeviceCode } from './device/codes.ts';
import { failureShape, OAuthError } from './errors.ts';

/** Where apps exchange codes for tokens, and give tokens back. */
export function tokenRoutes(context: OAuthContext): Route[] {
  const { grants } = context;
  return [
    route({
      method: 'POST',
      path: '/oauth/token',
      operationId: 'exchangeToken',
      access: { kind: 'client' },
      summary: 'Exchange a code or a refresh token for tokens (OAuth)',
      body: TokenExchange,
      acceptsForm: true,
      failures: ['UNAUTHORIZED'],
      failureShape,
      response: IssuedTokens,
      handle({ body, request }) {
        const clientId = clientIdOf(request, body.client_id);
        switch (body.grant_type) {
          case 'authorization_code':
            return grants.redeem(clientId, body);
          case 'refresh_token':
            return grants.refresh(clientId, body);
          case DEVICE_CODE_GRANT:
            return exchangeDeviceCode(context, clientId, body.device_code ?? '');
          default:
            throw new OAuthError('unsupported_grant_type', `The grant types are ${GRANT_TYPES.join(', ')}.`);
        }
      },
    }),
    route({
      method: 'POST',
      path: '/oauth/revoke',
      operationId: 'revokeToken',
      access: { kind: 'client' },
      summary: 'Disconnect an app by one of its tokens (OAuth)',
      body: Revocation,
      acceptsForm: true,
      failures: ['UNAUTHORIZED'],
      failureShape,
      answers: [{ status: 200, description: 'The token is not valid any more.', type: 'text/plain' }],
      async handle({ body, request }) {
        await grants.revoke(clientIdOf(request, body.client_id), body.token);
        return new Response('', { headers: { 'content-type': 'text/plain', 'cache-control': 'no-store' } });
      },
    }),
  ];
}

/**
 * The client, which has no secret: PKCE proves that it is the one that asked. Some libraries always send a Basic header,
 * with an empty password if there is no secret.
 */
function clientIdOf(request: Request, given: string | undefined): string {
  const basic = /^Basic +([\w+/=-]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (basic === undefined) {
    if (given) return given;
    throw new OAuthError('invalid_client', 'Send the client_id.');
  }
  const [id = '', secret] = Buffer.from(basic, 'base64').toString().split(':').map(decode);
  if (secret !== '' || id === '' || id.length > MAX_CLIENT_ID || (given ?? id) !== id)
    throw new OAuthError('invalid_client', 'Clients have no secret here. Send only the client_id.');
  return id;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return '';
  }
}
