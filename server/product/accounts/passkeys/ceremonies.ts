import { createHmac } from 'node:crypto';
import type {
  CredentialOptions,
  CredentialProof,
  NewCredential,
} from '../../../../contract/accounts/passkeys.ts';
import type { ServiceKey } from '../../../lib/secrets.ts';
import type { PasskeyRow } from '../model/passkey-store.ts';
import { CHALLENGE_SECONDS } from './challenges.ts';

/** The WebAuthn part of passkeys: options for browsers, and the verification of responses. */

/** EdDSA, ES256 and RS256: together, every authenticator has one. */
const ALGORITHMS = [-8, -7, -257];

/** Where passkeys are valid: at exactly this origin. */
export interface Site {
  /** The origin of the service. */
  baseUrl: string;
  key: ServiceKey;
}

type Checked<Answer> = Answer & { challenge: string };

/** Loads the WebAuthn library on first use: it takes 30 MB, and most servers never need it. */
async function library() {
  // The library needs `reflect-metadata` to be loaded first. In a bundle, its own import comes too late.
  await import('reflect-metadata');
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  return { ...(await import('@simplewebauthn/server')), decodeAttestationObject };
}

export function creationOptions(
  site: Site,
  user: { userId: number; username: string },
  known: PasskeyRow[],
  challenge: string,
): CredentialOptions {
  return {
    challenge,
    rp: { id: readHost(site), name: 'Quire' },
    user: { id: userHandle(site, user.userId), name: user.username, displayName: user.username },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_SECONDS * 1000,
    attestation: 'none',
    excludeCredentials: known.map(toDescriptor),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'preferred',
    },
    extensions: { credProps: true },
  };
}

/** Options for a login: with one of the passkeys in `known`, or else any passkey whose owner is verified. */
export function requestOptions(site: Site, challenge: string, known?: PasskeyRow[]): CredentialOptions {
  return {
    challenge,
    rpId: readHost(site),
    timeout: CHALLENGE_SECONDS * 1000,
    userVerification: known ? 'preferred' : 'required',
    allowCredentials: known?.map(toDescriptor) ?? [],
  };
}

/** Verifies a new passkey. Undefined if the response is wrong. */
export async function readCreation(site: Site, { challenge, ...answer }: Checked<NewCredential>) {
  if (!(await isSelfMade(answer.response.attestationObject))) return undefined;
  const { verifyRegistrationResponse } = await library();
  const { transports = [], ...response } = answer.response;
  const outcome = await verifyRegistrationResponse({
    response: { ...answer, response, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: site.baseUrl,
    expectedRPID: readHost(site),
    requireUserVerification: false,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined);
  if (!outcome?.verified) return undefined;
  const { credential, credentialDeviceType, aaguid } = outcome.registrationInfo;
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    isSynced: credentialDeviceType === 'multiDevice',
    transports,
    aaguid,
  };
}

/** Verifies a use of a passkey. Undefined if the response is wrong. */
export async function readProof(
  site: Site,
  { challenge, ...answer }: Checked<CredentialProof>,
  passkey: PasskeyRow,
  { mustVerifyUser }: { mustVerifyUser: boolean },
) {
  const { verifyAuthenticationResponse } = await library();
  const { userHandle: _, ...response } = answer.response;
  const outcome = await verifyAuthenticationResponse({
    response: { ...answer, response, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: site.baseUrl,
    expectedRPID: readHost(site),
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
      counter: passkey.counter,
    },
    requireUserVerification: mustVerifyUser,
  }).catch(() => undefined);
  if (!outcome?.verified) return undefined;
  const { newCounter, credentialDeviceType } = outcome.authenticationInfo;
  return { counter: newCounter, isSynced: credentialDeviceType === 'multiDevice' };
}

/**
 * Whether the attestation has no certificates, which is all we ask for. For certificates of a maker, the library
 * would fetch addresses that are in them.
 */
async function isSelfMade(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await library();
  try {
    const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
    const format = attestation.get('fmt');
    if (format === 'none') return true;
    return format === 'packed' && attestation.get('attStmt').get('x5c') === undefined;
  } catch {
    return false;
  }
}

const readHost = ({ baseUrl }: Site) => new URL(baseUrl).hostname;

/**
 * The id of a user for authenticators. Nobody can guess it: with it, a page on a subdomain of ours could ask an
 * authenticator to replace the passkey.
 */
function userHandle({ key }: Site, userId: number): string {
  return createHmac('sha256', key.inUse.bytes).update(`passkey-user\n${userId}`).digest('base64url');
}

const toDescriptor = (passkey: PasskeyRow) => ({
  id: passkey.credential_id,
  type: 'public-key',
  transports: JSON.parse(passkey.transports) as string[],
});
