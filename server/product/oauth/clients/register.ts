import { randomBytes } from 'node:crypto';
import { oauthEndpoints } from '../../../../contract/oauth/endpoints.ts';
import {
  type ClientMetadata,
  DEVICE_CODE_GRANT,
  GRANT_TYPES,
  type RegisteredClient,
} from '../../../../contract/oauth/protocol.ts';
import { limitKey } from '../../../lib/addresses.ts';
import type { Limits } from '../../../platform/coordination/limits/index.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { OAuthError, toFailureBody } from '../errors.ts';
import { evictClients, insertClient } from '../store.ts';
import { assertNotOurs, readClientName, readRedirectUris } from './metadata.ts';

interface RegistrationContext {
  db: Db;
  now: () => number;
  limits: Limits;
}

const PER_HOUR = 20;
/** Registered clients in total. Unused ones are deleted first, the oldest first. */
const MAX_CLIENTS = 10_000;

/** Dynamic client registration (RFC 7591). Anyone can register, so a registration proves nothing. */
export function registrationRoute(context: RegistrationContext): Route {
  const perAddress = context.limits.limit(
    'oauth-registrations',
    { points: PER_HOUR, seconds: 3600 },
    'Too many apps were registered from your address. Try again {wait}.',
  );
  return handle(
    oauthEndpoints.registerClient,
    async ({ body, address }) => {
      await perAddress.take(limitKey(address));
      return register(context, body);
    },
    { toFailureBody },
  );
}

async function register(
  { db, now }: RegistrationContext,
  metadata: ClientMetadata,
): Promise<RegisteredClient> {
  const grantTypes = readGrantTypes(metadata);
  const redirectUris = readRedirectUris(metadata);
  if (grantTypes.includes('authorization_code') && redirectUris.length === 0)
    throw new OAuthError('invalid_redirect_uri', 'Register at least one redirect URI.');
  if (metadata.response_types?.some((type) => type !== 'code'))
    throw new OAuthError('invalid_client_metadata', 'The only response type is code.');
  const name = readClientName(metadata, 'Unnamed app');
  assertNotOurs(name, 'invalid_client_metadata');
  const client = {
    clientId: `qrc_${randomBytes(18).toString('base64url')}`,
    name,
    redirectUris,
    now: now(),
  };
  await db.transaction().execute(async (tx) => {
    await insertClient(tx, client);
    await evictClients(tx, MAX_CLIENTS);
  });
  return {
    client_id: client.clientId,
    client_id_issued_at: Math.floor(client.now / 1000),
    client_name: client.name,
    redirect_uris: redirectUris,
    grant_types: grantTypes,
    response_types: grantTypes.includes('authorization_code') ? ['code'] : [],
    token_endpoint_auth_method: 'none',
  };
}

/** The grant types that the client asks for and we support. Every client can refresh its tokens. */
function readGrantTypes({ grant_types = ['authorization_code'] }: ClientMetadata): string[] {
  const known = GRANT_TYPES.filter((type) => type === 'refresh_token' || grant_types.includes(type));
  if (known.length > 1) return known;
  throw new OAuthError(
    'invalid_client_metadata',
    `Use the grant type authorization_code or ${DEVICE_CODE_GRANT}.`,
  );
}
