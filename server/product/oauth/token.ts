import { oauthEndpoints } from '../../../contract/oauth/endpoints.ts';
import { DEVICE_CODE_GRANT, GRANT_TYPES, MAX_CLIENT_ID } from '../../../contract/oauth/protocol.ts';
import { handle, type Route } from '../../platform/http/index.ts';
import type { OAuthContext } from './context.ts';
import { exchangeDeviceCode } from './device/codes.ts';
import { OAuthError, toFailureBody } from './errors.ts';

/** Routes where apps exchange codes for tokens, and revoke tokens. */
export function tokenRoutes(context: OAuthContext): Route[] {
  const { grants } = context;
  return [
    handle(
      oauthEndpoints.exchangeToken,
      ({ body, request }) => {
        const clientId = readClientId(request, body.client_id);
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
      { toFailureBody },
    ),
    handle(
      oauthEndpoints.revokeToken,
      async ({ body, request }) => {
        await grants.revoke(readClientId(request, body.client_id), body.token);
        return new Response('', { headers: { 'content-type': 'text/plain', 'cache-control': 'no-store' } });
      },
      { toFailureBody },
    ),
  ];
}

/**
 * The id of the client, which has no secret: PKCE proves its identity. Some libraries always send a Basic header,
 * with an empty password if there is no secret.
 */
function readClientId(request: Request, given: string | undefined): string {
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
