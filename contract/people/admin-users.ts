import { z } from 'zod';
import { User } from '../admin.ts';
import { Done, shortText, timestamp } from '../fields.ts';
import { MAX_BLOCK_REASON } from '../rules/limits.ts';
import { withCommas } from '../rules/text.ts';

/** What administrators see of a user, and what they can do to the account. */

/** Why something is suspended or taken down. The user or owner sees it. */
const blockReason = shortText(MAX_BLOCK_REASON)
  .refine((reason) => reason.trim() !== '', 'must say why; the owner sees it')
  .meta({ minLength: 1, maxLength: MAX_BLOCK_REASON });

export const BlockBody = z.strictObject({ reason: blockReason });
export type BlockBody = z.infer<typeof BlockBody>;

const MAX_ROWS = 1_000_000;
const quota = (max: number) => {
  const error = `must be a whole number from 0 to ${withCommas(max)}, or null`;
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
  lastSeenAt: timestamp.nullable().meta({ description: 'When a browser session of theirs was last used.' }),
  suspendedReason: z.string().nullable(),
  quota: QuotaBody.meta({ description: 'Null means the default of the service, and 0 means no limit.' }),
  serviceQuota: z
    .object({ pages: z.int().nullable(), functions: z.int().nullable(), bytes: z.int().nullable() })
    .meta({ description: 'The quota of users without one of their own; null means no limit.' }),
  login: z.object({
    hasPassword: z.boolean(),
    passkeys: z.int(),
    needsSecondFactor: z.boolean(),
    recoveryCodes: z.int(),
    singleSignOn: z.array(z.string()).meta({ description: 'The issuers of their external logins.' }),
  }),
  sessions: z.int(),
  tokens: z.int().meta({ description: 'Personal tokens.' }),
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
