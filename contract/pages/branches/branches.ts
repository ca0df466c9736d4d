import { z } from 'zod';
import { branchName, givenTime, idParams, timestamp } from '../../fields.ts';
import { UNUSED_BRANCH_DAYS, UNUSED_BRANCH_NOTICE_DAYS } from '../../rules/limits.ts';
import { choiceRule } from '../../rules/texts/rule.ts';
import { Access, SetAccess } from '../access.ts';

/** Branches: pages that are copies of others with all their parts, to try changes on. */

/** What a branch copies of the records and databases. */
export const BRANCH_DATA = ['all', 'schema', 'masked'] as const;
export type BranchData = (typeof BRANCH_DATA)[number];

/** The steps of making a branch, in order. */
export const BRANCH_STEPS = ['databases', 'records', 'ready'] as const;

/** A branch is addressed by the id of its main page, and its name. */
export const branchParams = idParams.extend({ name: branchName });

export const CreateBranch = z.strictObject({
  name: branchName,
  at: givenTime.optional().meta({
    format: 'date-time',
    description: 'Starts from the last moment at or before this time; without it, from the page as it is.',
  }),
  data: z.enum(BRANCH_DATA, choiceRule(BRANCH_DATA)).meta({
    description:
      'all: records and databases are copied. schema: only collections and tables, without their content. masked: names, addresses and free text are replaced; ids and numbers stay.',
  }),
});
export type CreateBranch = z.infer<typeof CreateBranch>;

export const PatchBranch = z.strictObject({ name: branchName, access: SetAccess }).partial();

export type PatchBranch = z.infer<typeof PatchBranch>;

export const Branch = z
  .object({
    name: z.string(),
    of: z.int().meta({ description: 'The id of the main page.' }),
    page: z.object({
      id: z.int().meta({ description: 'The id of the branch: it is a page, and is changed like one.' }),
      slug: z.string(),
      url: z.string(),
    }),
    base: timestamp.meta({ description: 'The moment of the main page that changes are compared with.' }),
    data: z.enum(BRANCH_DATA),
    access: Access,
    state: z.enum(['making', 'ready']).meta({
      description: 'making: its records and databases are being copied, and calls get 503 until it is ready.',
    }),
    functions: z
      .array(z.object({ name: z.string(), slug: z.string() }))
      .meta({ description: 'Its functions: what its page calls each, and the slug to deploy it with.' }),
    merge_url: z.string().meta({ description: 'Where a person looks at its changes and merges them.' }),
    by: z.string().nullable(),
    created_at: timestamp,
    used_at: timestamp.meta({
      description: `When it was last visited or changed, as far as is known: this is noted every hour. After ${UNUSED_BRANCH_DAYS} days without use its owner is told.`,
    }),
    ends_at: timestamp.nullable().meta({
      description: `When it is deleted because nobody uses it: ${UNUSED_BRANCH_NOTICE_DAYS} days after its owner was told. Null before that. Whoever visits, changes, renames or merges it keeps it, as does PATCH with an empty body.`,
    }),
  })
  .meta({ id: 'Branch' });
export type Branch = z.infer<typeof Branch>;

export const BranchList = z.object({ branches: z.array(Branch), limit: z.int() });
export type BranchList = z.infer<typeof BranchList>;

/** What the page of a branch says about it. */
export const BranchOf = z.object({ of: z.int(), name: z.string(), base: timestamp });
export type BranchOf = z.infer<typeof BranchOf>;

export const Outbox = z.object({
  mails: z
    .array(
      z.object({
        at: timestamp,
        to: z.array(z.string()),
        subject: z.string(),
        text: z.string(),
        html: z.string().nullable(),
      }),
    )
    .meta({ description: 'The mail that functions of the branch would have sent, the latest first.' }),
});
export type Outbox = z.infer<typeof Outbox>;
