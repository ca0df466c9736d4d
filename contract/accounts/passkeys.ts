import { z } from 'zod';
import { Done, list, shortText, timestamp } from '../fields.ts';
import { MAX_PASSKEY_NAME } from '../rules/limits.ts';
import { rule } from '../rules/texts/rule.ts';

/** The wire shapes of passkeys, the second factor and recovery codes. */

/** Bytes in base64url, as browsers write them. */
const bytes = (maxLetters: number) =>
  z
    .string()
    .max(maxLetters, rule('must have at most {max} characters', { max: maxLetters }))
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url');

/** A credential id has at most 1,023 bytes. */
const credentialId = bytes(1_364);
const clientData = bytes(8_192);

/** The fields of every response of an authenticator. Browsers add fields, which are ignored. */
const credential = { id: credentialId, rawId: credentialId, type: z.literal('public-key') };

/** The response to the options for a new passkey: `PublicKeyCredential.toJSON()`. */
export const NewCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: clientData,
    attestationObject: bytes(16_384),
    transports: list(z.string().max(32), {
      max: 10,
      tooLong: rule('has more than {max} transports', { max: 10 }),
    }).optional(),
  }),
});
export type NewCredential = z.infer<typeof NewCredential>;

/** The response to the options for a login: `PublicKeyCredential.toJSON()`. */
export const CredentialProof = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: clientData,
    authenticatorData: bytes(4_096),
    signature: bytes(8_192),
    userHandle: bytes(128).nullish(),
  }),
});
export type CredentialProof = z.infer<typeof CredentialProof>;

const name = shortText(MAX_PASSKEY_NAME).refine((value) => value.trim().length > 0, 'must not be empty');

/** Proves that the person at the session is its user. */
export const Reproof = z.strictObject({
  password: shortText(1000).optional().meta({
    format: 'password',
    description: 'The current password. Not required within 10 minutes of a login.',
  }),
});
export type Reproof = z.infer<typeof Reproof>;

export const NewPasskey = z.strictObject({
  credential: NewCredential,
  name: name.optional().meta({ description: 'The default is the browser and the system.' }),
});
export type NewPasskey = z.infer<typeof NewPasskey>;

export const PasskeyName = z.strictObject({ name });

/** The options for `navigator.credentials.create` and `get`, as the browser's JSON methods take them. */
export const CredentialOptions = z.looseObject({ challenge: z.string() });
export type CredentialOptions = z.infer<typeof CredentialOptions>;

export const Passkey = z.object({
  id: z.int(),
  name: z.string(),
  isSynced: z.boolean().meta({ description: 'True if the passkey is on several devices of its owner.' }),
  createdAt: timestamp,
  lastUsedAt: timestamp.nullable(),
});
export type Passkey = z.infer<typeof Passkey>;

export const PasskeyList = z.object({
  passkeys: z.array(Passkey),
  secondFactor: z.boolean().meta({ description: 'True if a passkey is required after the password.' }),
  recoveryCodesLeft: z.int(),
});
export type PasskeyList = z.infer<typeof PasskeyList>;

export const RecoveryCodes = z.object({
  recoveryCodes: z.array(z.string()).meta({ description: 'Codes, shown only once. Each works once.' }),
});
export type RecoveryCodes = z.infer<typeof RecoveryCodes>;

export const PasskeyLoginStart = z.strictObject({
  secondFactor: z
    .boolean()
    .optional()
    .meta({ description: 'True for the second step, after a password in the same browser.' }),
});

export const PasskeyLogin = z.strictObject({ credential: CredentialProof });

export const PasskeyLoggedIn = Done.extend({
  next: z.string().nullable().meta({ description: 'Where the login leads, after a second factor.' }),
});
export type PasskeyLoggedIn = z.infer<typeof PasskeyLoggedIn>;
