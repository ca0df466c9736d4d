import { randomInt } from 'node:crypto';
import { oauthEndpoints } from '../../../../contract/oauth/endpoints.ts';
import type { DeviceAuthorization, IssuedTokens } from '../../../../contract/oauth/protocol.ts';
import { limitKey } from '../../../lib/addresses.ts';
import { hashSecret, randomSecret } from '../../../lib/secrets.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { OAuthContext } from '../context.ts';
import { OAuthError, toFailureBody } from '../errors.ts';
import { invalidGrant } from '../grants.ts';
import type { AccessRequest } from '../ports.ts';
import { wantedScopes } from '../scopes.ts';
import {
  findDeviceCode,
  insertDeviceCode,
  takeDeviceCode,
  touchDeviceCode,
  trimDeviceCodes,
} from './store.ts';

const CODE_SECONDS = 900;
const INTERVAL_SECONDS = 5;
/** The longest interval between two requests of a program. Further violations are refused and not stored. */
const MAX_INTERVAL_SECONDS = 60;
const PER_HOUR = 60;
/** Device codes in total. The oldest are deleted. */
const MAX_CODES = 10_000;

/** The letters of codes: no vowels, so that no words appear, and no lookalikes. There are 25 billion codes. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_LETTERS = 8;

/** The route where programs without a browser get a code, which a person types in theirs (RFC 8628). */
export function deviceCodeRoute(context: OAuthContext): Route {
  const perAddress = context.limits.limit(
    'oauth-devices',
    { points: PER_HOUR, seconds: 3600 },
    'Too many codes were requested from your address. Try again {wait}.',
  );
  return handle(
    oauthEndpoints.authorizeDevice,
    async ({ body, address }) => {
      await perAddress.take(limitKey(address));
      const client = await context.clients.find(body.client_id, address);
      if (!client) throw new OAuthError('invalid_client', 'This client is not registered here.');
      const resource = await context.resources.find(body.resource);
      if (!resource) throw new OAuthError('invalid_target', 'There is no such resource here.');
      return giveDeviceCode(context, address, {
        clientId: client.id,
        name: client.name,
        origin: client.publishedBy ?? 'a device',
        isVerified: client.publishedBy !== undefined,
        resource: resource.uri,
        page: resource.page,
        scopes: wantedScopes(body.scope, resource),
      });
    },
    { toFailureBody },
  );
}

async function giveDeviceCode(
  { db, now, baseUrl }: OAuthContext,
  address: string,
  asked: AccessRequest,
): Promise<DeviceAuthorization> {
  const deviceCode = randomSecret();
  const at = now();
  const times = { now: at, expiresAt: at + CODE_SECONDS * 1000, intervalSeconds: INTERVAL_SECONDS };
  let userCode = makeUserCode();
  while (
    !(await insertDeviceCode(db, { codeHash: hashSecret(deviceCode), userCode, address, asked, ...times }))
  )
    userCode = makeUserCode();
  await trimDeviceCodes(db, MAX_CODES);
  const shown = showUserCode(userCode);
  return {
    device_code: deviceCode,
    user_code: shown,
    verification_uri: `${baseUrl}/device`,
    verification_uri_complete: `${baseUrl}/device?user_code=${shown}`,
    expires_in: CODE_SECONDS,
    interval: INTERVAL_SECONDS,
  };
}

function makeUserCode(): string {
  return Array.from({ length: CODE_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

/** A user code for people, with a hyphen: `BCDF-GHJK`. */
export function showUserCode(code: string): string {
  return `${code.slice(0, CODE_LETTERS / 2)}-${code.slice(CODE_LETTERS / 2)}`;
}

/** What a person typed, in any case and with any separators; undefined if it cannot be a code. */
export function readUserCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replace(/[\s-]/g, '');
  return new RegExp(`^[${LETTERS}]{${CODE_LETTERS}}$`).test(code) ? code : undefined;
}

/** Exchanges a device code for tokens, if the person has answered. */
export async function exchangeDeviceCode(
  { db, now, grants }: OAuthContext,
  clientId: string,
  deviceCode: string,
): Promise<IssuedTokens> {
  const codeHash = hashSecret(deviceCode);
  const found = await findDeviceCode(db, codeHash);
  if (!found || found.client_id !== clientId) throw unknownCode();
  if (found.expires_at <= now())
    throw new OAuthError('expired_token', 'The code has expired. Ask for a new one.');
  const sinceLast = now() - (found.polled_at ?? 0);
  if (sinceLast < found.interval_seconds * 1000) {
    const intervalSeconds = Math.min(found.interval_seconds + INTERVAL_SECONDS, MAX_INTERVAL_SECONDS);
    if (intervalSeconds > found.interval_seconds)
      await touchDeviceCode(db, codeHash, { now: now(), intervalSeconds });
    throw new OAuthError('slow_down', `Ask every ${intervalSeconds} seconds.`);
  }
  if (found.status === 'pending') {
    await touchDeviceCode(db, codeHash, { now: now(), intervalSeconds: found.interval_seconds });
    throw new OAuthError('authorization_pending', 'The person has not answered yet.');
  }
  const outcome = await db.transaction().execute(async (tx) => {
    const taken = await takeDeviceCode(tx, codeHash);
    if (!taken || taken.user_id === null) return undefined;
    if (taken.status !== 'allowed') return 'denied';
    return (await grants.open(tx, taken.user_id, taken))?.tokens;
  });
  if (outcome === 'denied') throw new OAuthError('access_denied', 'The person did not allow it.');
  if (!outcome) throw unknownCode();
  return outcome;
}

function unknownCode(): OAuthError {
  return invalidGrant('This code is unknown or was used before, or it is for another client.');
}
