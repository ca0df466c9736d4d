import { z } from 'zod';
import { timestamp } from '../fields.ts';

/** The wire shapes of single sign-on. */

export const SingleSignOnState = z.object({
  provider: z.object({ name: z.string() }).nullable().meta({ description: 'Null if this server has none.' }),
  connection: z
    .object({ createdAt: timestamp, lastUsedAt: timestamp })
    .nullable()
    .meta({ description: 'The external login; null if your account is not connected.' }),
  canDisconnect: z
    .boolean()
    .meta({ description: 'False if single sign-on is the only way to log in: no password and no passkey.' }),
});
export type SingleSignOnState = z.infer<typeof SingleSignOnState>;

export const SingleSignOnStart = z.object({
  url: z.string().meta({ description: 'Where the browser goes to log in at the provider.' }),
});
export type SingleSignOnStart = z.infer<typeof SingleSignOnStart>;
