import { z } from 'zod';
import { list, shortText, timestamp } from '../../fields.ts';
import { choiceRule } from '../../rules/texts/rule.ts';
import { Change, Said } from './changes.ts';

/** Merging a branch into its page, and bringing the page's changes to the branch. */

export const MAX_TAKEN = 1_000;
export const MAX_MERGED_TABLES = 100;
const FROM = ['branch', 'main'] as const;

const take = list(
  z.strictObject({
    path: shortText(500),
    from: z.enum(FROM, choiceRule(FROM)),
  }),
  { max: MAX_TAKEN },
)
  .optional()
  .meta({
    description:
      'Decides conflicts: which side counts for a path. It also leaves out a change of the branch (from: main). A path stands for all that begin with it and /.',
  });
const dry_run = z
  .boolean('must be true or false')
  .default(false)
  .meta({ description: 'Says what would happen, and changes nothing.' });

export const MergeBranch = z.strictObject({
  dry_run,
  take,
  records: z
    .boolean('must be true or false')
    .default(false)
    .meta({ description: 'Also merges records. Schemas and rules are merged always.' }),
  tables: list(shortText(200), { max: MAX_MERGED_TABLES }).optional().meta({
    description:
      'Also merges the rows of these tables of databases, such as order/people: the function and its table, or people if only one database has it. Schemas are merged always.',
  }),
  confirm: z.boolean('must be true or false').default(false).meta({
    description:
      'Merges although the rehearsal showed problems, and removes columns and tables of databases that the branch does not have any more.',
  }),
});
export type MergeBranch = z.infer<typeof MergeBranch>;

export const UpdateFromMain = z.strictObject({ dry_run, take });
export type UpdateFromMain = z.infer<typeof UpdateFromMain>;

const recordCounts = { created: z.int(), updated: z.int(), deleted: z.int() };

export const MergeNumbers = z.object({
  files: z.int(),
  settings: z.int(),
  functions: z.int().meta({ description: 'Functions that get another version, are added or removed.' }),
  collections: z.int().meta({ description: 'Collections whose schema or rules change.' }),
  records: z.object(recordCounts),
  tables: z.int().meta({ description: 'Tables of databases whose columns, indexes or triggers change.' }),
  rows: z.object(recordCounts),
});
export type MergeNumbers = z.infer<typeof MergeNumbers>;

export const Rehearsal = z.object({
  ok: z.boolean().nullable().meta({
    description:
      'False if something went wrong that the page itself does not have; null if no browser could try it.',
  }),
  problems: z.array(Said),
  findings: z
    .int()
    .nullable()
    .meta({ description: 'What an attack found that the page does not have; null if none was made.' }),
  serious: z
    .array(Said)
    .nullable()
    .meta({ description: 'What the attack found that is serious and not meant so; null if none was made.' }),
  not_tried: Said.nullable().meta({ description: 'Why it was not tried in a browser; null if it was.' }),
});
export type Rehearsal = z.infer<typeof Rehearsal>;

export const Merged = z
  .object({
    success: z.literal(true),
    dry_run: z.boolean(),
    version: z
      .int()
      .nullable()
      .meta({ description: 'The new version of the page; null if its files stay, or for a dry run.' }),
    undo: timestamp
      .nullable()
      .meta({ description: 'Restore this moment to undo it. Null for a dry run, or if nothing changed.' }),
    numbers: MergeNumbers,
    summary: z.array(Said).meta({ description: 'What changes, one sentence for each.' }),
    conflicts: z
      .array(Change)
      .meta({ description: 'Only for a dry run: what take has to decide. At most 50.' }),
    conflict_count: z.int(),
    needs_confirm: z
      .array(z.string())
      .meta({ description: 'Paths whose merge removes a table or a column, and needs confirm.' }),
    problems: z.array(Said).meta({
      description:
        'Only for a dry run: why databases cannot be merged. Nothing is merged until it is mended.',
    }),
    left_out: z.array(Said).meta({ description: 'What is not merged, and why.' }),
    merge_url: z.string().meta({ description: 'Where a person looks at the changes and merges them.' }),
    rehearsal: Rehearsal.nullable().meta({
      description: 'What checking the result on a copy of the page showed; null if it was not rehearsed.',
    }),
  })
  .meta({ id: 'MergedBranch' });
export type Merged = z.infer<typeof Merged>;
