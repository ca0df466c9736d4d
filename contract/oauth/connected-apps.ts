import { z } from 'zod';
import { timestamp } from '../fields.ts';

/** An app that a person connected to their account. Its name is what the app calls itself. */
export const ConnectedApp = z.object({
  id: z.int(),
  name: z.string(),
  origin: z
    .string()
    .meta({ description: 'Where the app is, as the person saw it: a host, or a program on their computer.' }),
  isVerified: z
    .boolean()
    .meta({ description: 'True if the app is published at its origin, so the name is what that site says.' }),
  scopes: z.array(z.string()),
  branches_only: z.boolean().meta({ description: 'True if the app can only change branches of pages.' }),
  page: z
    .object({ id: z.int(), name: z.string(), slug: z.string() })
    .nullable()
    .meta({ description: 'The only page that the app can use; null for the whole account.' }),
  createdAt: timestamp,
  lastUsedAt: timestamp,
  expiresAt: timestamp,
});
export type ConnectedApp = z.infer<typeof ConnectedApp>;
export const ConnectedAppList = z.object({ apps: z.array(ConnectedApp) });
export type ConnectedAppList = z.infer<typeof ConnectedAppList>;
