import { z } from 'zod';
import { queryNumber, shortText, timestamp } from './fields.ts';
import { MAX_GRANT_REASON } from './rules/limits.ts';

/** The wire shapes of the administrator's endpoints. */

export const UserQuery = z.object({
  limit: queryNumber({ min: 1, max: 100, fallback: 50 }),
  offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
  q: shortText(200).optional(),
});

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
