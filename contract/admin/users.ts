import { z } from 'zod';
import { Done, queryNumber, shortText, timestamp } from '../fields.ts';
import { MAX_BLOCK_REASON, MAX_GRANT_REASON } from '../rules/limits.ts';
import { choiceRule, rule } from '../rules/texts/rule.ts';

/** What administrators see of users, and what they can do to an account. */

export const USER_STATES = ['active', 'suspended', 'leaving', 'locked-out', 'built-in'] as const;
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
    .enum(USER_STATES, { error: choiceRule(USER_STATES) })
    .optional()
    .meta({
      description:
        'Only suspended accounts, or those about to be deleted, or neither, or those whose people asked for a new password, or those of the server itself.',
    }),
  administrators: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .optional()
    .meta({ description: 'With true, only administrators; with false, all others.' }),
  sort: z
    .enum(USER_ORDERS, { error: choiceRule(USER_ORDERS) })
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
  passwordAskedAt: timestamp.nullable().meta({
    description: 'When somebody asked for a new password of the account, on a server without mail.',
  }),
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

/** The reason for a suspension or a takedown. The user or owner sees it. */
const blockReason = shortText(MAX_BLOCK_REASON)
  .refine((reason) => reason.trim() !== '', 'must say why; the owner sees it')
  .meta({ minLength: 1, maxLength: MAX_BLOCK_REASON });

export const BlockBody = z.strictObject({ reason: blockReason });
export type BlockBody = z.infer<typeof BlockBody>;

const MAX_ROWS = 1_000_000;
const quota = (max: number) => {
  const error = rule('must be a whole number from 0 to {max}, or null', { max });
  return z.int({ error }).min(0, { error }).max(max, { error }).nullable();
};

/** The quota of a user. Null means the default of the service, and 0 means no limit. */
export const QuotaBody = z.strictObject({
  pages: quota(MAX_ROWS),
  functions: quota(MAX_ROWS),
  bytes: quota(Number.MAX_SAFE_INTEGER),
});
export type QuotaBody = z.infer<typeof QuotaBody>;

export const UserDetail = User.extend({
  isEmailConfirmed: z.boolean(),
  lastSeenAt: timestamp.nullable().meta({ description: 'When a browser session of the user was last used.' }),
  suspendedReason: z.string().nullable(),
  quota: QuotaBody.meta({ description: 'The own quota of the user: null for the default, 0 for no limit.' }),
  serviceQuota: z
    .object({ pages: z.int().nullable(), functions: z.int().nullable(), bytes: z.int().nullable() })
    .meta({ description: 'The quota of users without one of their own; null means no limit.' }),
  login: z.object({
    hasPassword: z.boolean(),
    passkeys: z.int(),
    needsSecondFactor: z.boolean(),
    recoveryCodes: z.int(),
    singleSignOn: z.array(z.string()).meta({ description: 'The issuers of the user’s external logins.' }),
  }),
  sessions: z.int(),
  tokens: z.int().meta({ description: 'How many personal tokens the user has.' }),
});
export type UserDetail = z.infer<typeof UserDetail>;
export const UserDetailResponse = z.object({ user: UserDetail });
export type UserDetailResponse = z.infer<typeof UserDetailResponse>;

/** A link that lets the user set a new password. It is shown only once. */
export const ResetLink = z.object({ success: z.literal(true), link: z.string(), expiresAt: timestamp });
export type ResetLink = z.infer<typeof ResetLink>;

export const DeleteUserQuery = z.object({
  now: z.enum(['true', 'false'], { error: 'must be true or false' }).optional().meta({
    description: 'With true, the account is deleted at once. Otherwise the user can keep it for 7 days.',
  }),
});

export const DeletedUser = Done.extend({
  dueAt: timestamp.meta({ description: 'When the account is deleted. Nobody can use it until then.' }),
});
export type DeletedUser = z.infer<typeof DeletedUser>;
