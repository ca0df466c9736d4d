import { z } from 'zod';
import { givenTime, idParams, list, queryNumber, shortText, text, timestamp } from '../../fields.ts';
import { MAX_MOMENT_NAME, MAX_NAMED_MOMENTS, MAX_RESTORED_COLLECTIONS } from '../../rules/limits.ts';
import { choiceRule, rule } from '../../rules/texts/rule.ts';
import { PreviewLink } from '../previews.ts';

/** The moments of an application: a page with its functions, records and databases as they were at a time. */

/** What a moment has, and what a restore can be limited to. */
export const PARTS = ['page', 'functions', 'records', 'databases'] as const;
export type Part = (typeof PARTS)[number];

/** Why a moment was kept, or what happened since the one before it. */
export const CAUSES = [
  'page',
  'settings',
  'functions',
  'records',
  'databases',
  'named',
  'restore',
  'deploy',
  'delete',
  'import',
  'schema',
  'agent',
  'branch',
  'merge',
] as const;
export type CauseKind = (typeof CAUSES)[number];

/** A text with places for its values, and the values: what programs translate. */
const translatable = {
  sentence: z.string().meta({ description: 'The text with places for its values, to translate it.' }),
  values: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .meta({ description: 'The values by the name of their place.' }),
};

export const Cause = z.object({
  kind: z.enum(CAUSES).meta({
    description:
      'What changed before the moment: page, settings, functions, records or databases. Or what the moment was kept for: named by somebody, or directly before something that is hard to take back.',
  }),
  by: z.string().nullable().meta({ description: 'The username of the person, if it is known.' }),
  text: z.string().meta({ description: 'One sentence in English.' }),
  ...translatable,
});
export type Cause = z.infer<typeof Cause>;

const functions = z
  .array(z.object({ slug: z.string(), version: z.int() }))
  .meta({ description: 'Functions whose code is another one than before, with its version.' });

export const MomentChanges = z.object({
  page_version: z.int().optional().meta({ description: 'The version of the page, if it is a new one.' }),
  functions,
  records: z.int().meta({ description: 'Records that were created, changed or deleted.' }),
  databases: z
    .array(z.string())
    .meta({ description: 'Functions whose database has changed. Several functions can share one.' }),
});
export type MomentChanges = z.infer<typeof MomentChanges>;

export const Moment = z
  .object({
    at: timestamp,
    name: z.string().optional().meta({ description: 'Set if it is kept until somebody deletes it.' }),
    causes: z.array(Cause),
    changes: MomentChanges.meta({ description: 'What changed since the moment before it.' }),
  })
  .meta({ id: 'Moment' });
export type Moment = z.infer<typeof Moment>;

export const MomentList = z.object({
  moments: z.array(Moment).meta({ description: 'The latest first.' }),
  oldest: timestamp.nullable().meta({ description: 'The oldest moment that is kept; null without any.' }),
  days: z.int().meta({
    description:
      'For how many days moments are kept; 0 if the operator of the server has turned history off.',
  }),
  named: z
    .int()
    .meta({ description: `How many moments of the page have a name, of at most ${MAX_NAMED_MOMENTS}.` }),
  storage: z
    .object({
      bytes: z.int(),
      quota: z.int().nullable().meta({ description: 'Null without a limit.' }),
    })
    .nullable()
    .meta({
      description: 'What the history of all pages of the owner takes, and may take. Null for everybody else.',
    }),
});
export type MomentList = z.infer<typeof MomentList>;

export const MomentsQuery = z.object({
  from: givenTime.optional(),
  to: givenTime.optional(),
  limit: queryNumber({ min: 1, max: 500, fallback: 200 }),
});

export const KeepMoment = z.strictObject({
  name: text()
    .transform((value) => value.trim())
    .refine((value) => value.length > 0, 'must not be empty')
    .pipe(shortText(MAX_MOMENT_NAME))
    .meta({ minLength: 1, maxLength: MAX_MOMENT_NAME }),
});

/** A moment is addressed by its time. */
export const momentParams = idParams.extend({ at: givenTime });

/** The page as it was, for somebody who looks at a moment before they restore it. */
export const MomentDetail = Moment.extend({
  ...PreviewLink.shape,
  page_version: z.int().meta({ description: 'The version of the page at that time, as in its versions.' }),
  page_name: z.string(),
  functions: functions.meta({ description: 'The functions of the page at that time, with their versions.' }),
  databases: z.array(z.string()).meta({ description: 'Functions whose database can be restored.' }),
});
export type MomentDetail = z.infer<typeof MomentDetail>;

export const RestoreBody = z.strictObject({
  at: givenTime.meta({
    format: 'date-time',
    description: 'The time to go back to: the last moment at or before it is restored.',
  }),
  parts: list(z.enum(PARTS, choiceRule(PARTS)), { max: PARTS.length })
    .refine((parts) => parts.length > 0, 'must not be empty')
    .optional()
    .meta({
      description:
        'What to restore; everything that the caller may restore if it is left out. Functions and databases are for the owner of the page.',
    }),
  collections: list(shortText(100), {
    max: MAX_RESTORED_COLLECTIONS,
    tooLong: rule('has more than {max} collections', { max: MAX_RESTORED_COLLECTIONS }),
  })
    .optional()
    .meta({ description: 'Restores the records of these collections only.' }),
  dry_run: z
    .boolean('must be true or false')
    .default(false)
    .meta({ description: 'Says what would change, and changes nothing.' }),
});
export type RestoreBody = z.infer<typeof RestoreBody>;

/** What a restore did not bring back. */
export const NotRestored = z.object({
  part: z.enum(PARTS),
  name: z.string().meta({ description: 'The slug of the function, or the name of the collection.' }),
  reason: z.string().meta({ description: 'One sentence in English.' }),
  ...translatable,
});
export type NotRestored = z.infer<typeof NotRestored>;

/** Records that a restore changes. */
const restoredRecords = {
  created: z.int().meta({ description: 'Records that are back.' }),
  updated: z.int().meta({ description: 'Records that have their earlier data again.' }),
  deleted: z.int().meta({ description: 'Records that were created later.' }),
};

export const RestoreChanges = MomentChanges.extend({
  database_times: z.record(z.string(), timestamp).optional().meta({
    description:
      'Functions whose database goes back to an earlier time than the moment, with that time: in a cluster, databases are copied once an hour.',
  }),
  settings: z.boolean().meta({ description: 'Whether the name or other settings of the page change.' }),
  ...restoredRecords,
  collections: z
    .array(z.object({ name: z.string(), ...restoredRecords }))
    .meta({ description: 'The collections whose records change.' }),
  made_again: z
    .array(z.string())
    .meta({ description: 'Functions that had been deleted since. They have no secrets: set them again.' }),
  not_restored: z.array(NotRestored),
});
export type RestoreChanges = z.infer<typeof RestoreChanges>;

export const RestoredMoment = z.object({
  success: z.literal(true),
  at: timestamp.meta({ description: 'The moment that was restored.' }),
  changes: RestoreChanges,
  undo: timestamp
    .nullable()
    .meta({ description: 'The moment directly before: restore it to undo this. Null for a dry run.' }),
});
export type RestoredMoment = z.infer<typeof RestoredMoment>;

/** The steps of a restore, in order. */
export const RESTORE_STEPS = ['moment', 'page', 'databases', 'records', 'done', 'undone', 'failed'] as const;

export const RestoreState = z.object({
  at: timestamp,
  by: z.string().nullable(),
  parts: z.array(z.enum(PARTS)),
  collections: z
    .array(z.string())
    .nullable()
    .meta({ description: 'The only collections whose records are restored; null for all.' }),
  step: z.enum(RESTORE_STEPS).meta({
    description:
      'What it does now; done, undone or failed when it has ended. An undone one has changed nothing; of a failed one, some parts could not be undone.',
  }),
  started_at: timestamp,
  finished_at: timestamp.nullable(),
  undo: timestamp.nullable(),
  changes: RestoreChanges.nullable().meta({ description: 'Set when it is done.' }),
  error: z.string().nullable().meta({ description: 'Why it was undone, or failed.' }),
  not_undone: z
    .array(NotRestored)
    .meta({ description: 'What is not as it was before, if it failed. All other parts are.' }),
});
export type RestoreState = z.infer<typeof RestoreState>;

export const LastRestore = z.object({
  restore: RestoreState.nullable().meta({ description: 'The last restore of the page, if there was one.' }),
});
export type LastRestore = z.infer<typeof LastRestore>;

export const MOMENTS_SUMMARY = `at most ${MAX_NAMED_MOMENTS} for a page`;
