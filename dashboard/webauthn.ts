import type { NewCredential } from '../contract/accounts/passkeys.ts';
import { t } from './texts/index.ts';

/** Passkeys in the browser, for the login screens and the dashboard. */

/** The options as the service sends them: bytes are in base64url. */
interface OptionsJson {
  challenge: string;
  user?: { id: string };
  excludeCredentials?: DescriptorJson[];
  allowCredentials?: DescriptorJson[];
}

interface DescriptorJson {
  id: string;
}

/** Why this browser cannot use passkeys here, in words for its user; undefined if it can. */
export function whyNoPasskeys(): string | undefined {
  if (!isSecureContext) return t('Passkeys need HTTPS. Ask the operator of this server to turn it on.');
  if (/^[\d.]+$|^\[/.test(location.hostname))
    return t('Passkeys need a host name. Open this server by its name instead of its IP address.');
  if (!window.PublicKeyCredential)
    return t('This browser does not support passkeys. Update it, or use another one.');
  return undefined;
}

/** Makes a passkey. Returns the answer for the service. */
export async function makePasskey(options: unknown): Promise<NewCredential> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON
    ? PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON)
    : (decode(options as OptionsJson) as unknown as PublicKeyCredentialCreationOptions);
  return encode((await navigator.credentials.create({ publicKey })) as PublicKeyCredential) as NewCredential;
}

/** Uses a passkey. Returns the answer for the service. */
export async function usePasskey(
  options: unknown,
  how: Pick<CredentialRequestOptions, 'mediation' | 'signal'> = {},
): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON
    ? PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON)
    : (decode(options as OptionsJson) as unknown as PublicKeyCredentialRequestOptions);
  return encode((await navigator.credentials.get({ publicKey, ...how })) as PublicKeyCredential);
}

/** What went wrong, in words for the user. Browsers do not say whether the person canceled or ran out of time. */
export function explain(error: unknown): string {
  const { name, message } = error as Error;
  if (name === 'NotAllowedError') return t('Canceled, or no passkey was found. Try again.');
  if (name === 'InvalidStateError') return t('This device already has a passkey for this account.');
  if (name === 'SecurityError') return t('Passkeys do not work at this address.');
  return message;
}

/** For browsers before 2025. */
function decode({ challenge, user, excludeCredentials, allowCredentials, ...rest }: OptionsJson) {
  const bytes = (each: DescriptorJson) => ({ ...each, id: toBytes(each.id) });
  return {
    ...rest,
    challenge: toBytes(challenge),
    ...(user && { user: bytes(user) }),
    ...(excludeCredentials && { excludeCredentials: excludeCredentials.map(bytes) }),
    ...(allowCredentials && { allowCredentials: allowCredentials.map(bytes) }),
  };
}

/** Some password managers replace the browser's answer by one without `toJSON`, so it is read field by field. */
function encode({ id, rawId, type, response }: PublicKeyCredential): unknown {
  const answer = response as Partial<AuthenticatorAttestationResponse & AuthenticatorAssertionResponse>;
  const text = (bytes: ArrayBuffer | null | undefined) => (bytes ? toText(bytes) : undefined);
  return {
    id,
    rawId: toText(rawId),
    type,
    response: {
      clientDataJSON: text(answer.clientDataJSON),
      attestationObject: text(answer.attestationObject),
      transports: answer.getTransports?.(),
      authenticatorData: text(answer.authenticatorData),
      signature: text(answer.signature),
      userHandle: text(answer.userHandle),
    },
  };
}

function toBytes(base64url: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

function toText(bytes: ArrayBuffer): string {
  const binary = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
