import { z } from 'zod';
import { shortText, timestamp } from '../fields.ts';
import { email, password, username } from './accounts.ts';

/** The wire shapes of what people change about their own account. */

const MAX_DEVICE_NAME = 60;

/** Proof of identity, for changes that somebody with a stolen session must not make. */
const proof = {
  password: z
    .string()
    .max(1000)
    .optional()
    .meta({ description: 'Your current password. Not required within 10 minutes of a login.' }),
};

export const Account = z.object({
  username: z.string(),
  email: z.string(),
  emailConfirmed: z.boolean(),
  pendingEmail: z
    .string()
    .nullable()
    .meta({ description: 'The e-mail address that the account will have once you confirm it.' }),
  hasPassword: z.boolean(),
  needsSecondFactor: z.boolean(),
  isAdmin: z.boolean(),
  createdAt: timestamp,
  sendsMail: z.boolean().meta({ description: 'False if this server does not send mail.' }),
});
export type Account = z.infer<typeof Account>;

export const EmailChange = z.strictObject({ email, ...proof });
export type EmailChange = z.infer<typeof EmailChange>;
export const EmailChanged = z.object({
  success: z.literal(true),
  message: z.string(),
  isChanged: z.boolean().meta({ description: 'False if the new address has to be confirmed first.' }),
});
export type EmailChanged = z.infer<typeof EmailChanged>;

export const UsernameChange = z.strictObject({ username, ...proof });
export type UsernameChange = z.infer<typeof UsernameChange>;

export const SessionChange = z.strictObject({
  name: shortText(MAX_DEVICE_NAME)
    .transform((name) => name.trim())
    .meta({
      description: 'What you call the device. Empty for its usual name.',
    }),
});
export type SessionChange = z.infer<typeof SessionChange>;

export const ForgottenPassword = z.strictObject({
  username: shortText(254).meta({ description: 'The username or the e-mail address.' }),
});
export type ForgottenPassword = z.infer<typeof ForgottenPassword>;

export const PasswordReset = z.strictObject({ code: z.string().max(200), password });
export type PasswordReset = z.infer<typeof PasswordReset>;

export const AddressConfirmation = z.strictObject({ code: z.string().max(200) });
