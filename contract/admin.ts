import { z } from 'zod';
import { queryNumber, shortText, timestamp } from './fields.ts';
import { MAX_GRANT_REASON } from './rules/limits.ts';

/** The wire shapes of the administrator's endpoints. */

export const USER_STATES = ['active', 'suspended', 'leaving'] as const;
export const USER_ORDERS = ['oldest', 'newest', 'username', 'storage'] as const;

export const UserQuery = z.object({
  limit: queryNumber({ min: 1, max: 100, fallback: 50 }),
  offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
  q: shortText(200).optional(),
  username: shortText(200)
    .transform((name) => name.toLowerCase())
    .optional()
    .meta({ description: 'Only the user with this name.' }),
  state: z
    .enum(USER_STATES, { error: `must be one of ${USER_STATES.join(', ')}` })
    .optional()
    .meta({ description: 'Only suspended accounts, or those about to be deleted, or neither.' }),
  administrators: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .optional()
    .meta({ description: 'With true, only administrators; with false, all others.' }),
  sort: z
    .enum(USER_ORDERS, { error: `must be one of ${USER_ORDERS.join(', ')}` })
    .default('oldest')
    .meta({ description: '`storage` starts with the users who store the most bytes.' }),
});
export type UserQuery = z.infer<typeof UserQuery>;

export const User = z.object({
  id: z.int(),
  username: z.string(),
  email: z.string(),
  isAdmin: z.boolean(),
  createdAt: timestamp,
  pages: z.int(),
  functions: z.int(),
  storedBytes: z.int(),
  credits: z.number(),
  suspendedAt: timestamp.nullable(),
  removalDueAt: timestamp
    .nullable()
    .meta({ description: 'When the account is deleted, unless its user logs in before then and keeps it.' }),
});
export type User = z.infer<typeof User>;
export const UserList = z.object({
  users: z.array(User),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});
export type UserList = z.infer<typeof UserList>;

const CREDITS_ERROR = 'must be a whole number from 1 to 1,000,000';
export const GrantBody = z.strictObject({
  credits: z
    .int({ error: CREDITS_ERROR })
    .min(1, { error: CREDITS_ERROR })
    .max(1_000_000, { error: CREDITS_ERROR }),
  reason: shortText(MAX_GRANT_REASON).refine((reason) => reason.trim() !== '', 'must say why'),
});
export type GrantBody = z.infer<typeof GrantBody>;

export const Granted = z.object({ success: z.literal(true), balance: z.number() });
export type Granted = z.infer<typeof Granted>;

export const HealthReport = z
  .object({
    status: z.literal('ok'),
    version: z.string(),
    uptimeSeconds: z.int(),
    maxCells: z.int(),
    databasesByNode: z.record(z.string(), z.array(z.int())).optional(),
    disk: z.object({ freeBytes: z.int(), totalBytes: z.int(), databaseBytes: z.int().nullable() }),
    history: z.array(
      z.object({ at: timestamp, memoryBytes: z.int(), cpuPercent: z.number(), cells: z.int() }),
    ),
  })
  .catchall(z.unknown());
export type HealthReport = z.infer<typeof HealthReport>;
