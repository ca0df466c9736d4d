import { z } from 'zod';
import { queryNumber, shortText, timestamp } from '../../fields.ts';
import { choiceRule } from '../../rules/texts/rule.ts';
import { branchParams } from './branches.ts';

/** What differs between a branch, its page, and what both began with. */

/** A text with places for its values, and the values: what programs translate. */
export const Said = z.object({
  text: z.string().meta({ description: 'One sentence in English.' }),
  sentence: z.string().meta({ description: 'The text with places for its values, to translate it.' }),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type Said = z.infer<typeof Said>;

/** The kinds of what can differ, in the order of lists. */
export const CHANGE_KINDS = [
  'file',
  'setting',
  'agents',
  'function',
  'collection',
  'record',
  'table',
  'row',
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export const CHANGE_SIDES = ['branch', 'main', 'both'] as const;
export type ChangeSide = (typeof CHANGE_SIDES)[number];

const action = z.enum(['added', 'changed', 'deleted']);
export type ChangeAction = z.infer<typeof action>;

/** Letters of a text in a list, and in the answer about one path. */
export const CHANGE_TEXT_IN_LIST = 2_000;
export const CHANGE_TEXT_MAX = 200_000;

export const ChangeContent = z.object({
  text: z.string().nullable().meta({
    description:
      'Null for files that are not text. Settings, schemas, records and rows are JSON with one field per line.',
  }),
  bytes: z.int(),
  truncated: z
    .boolean()
    .meta({ description: `Lists have ${CHANGE_TEXT_IN_LIST} letters. Ask with path for more.` }),
});
export type ChangeContent = z.infer<typeof ChangeContent>;

const side = z.enum(CHANGE_SIDES, choiceRule(CHANGE_SIDES));

export const Change = z
  .object({
    path: z.string().meta({
      description:
        'Names it in take, such as files/index.html, settings/name, agents, functions/order/code, functions/order/files/lib.js, functions/order/schedules, functions/order/on, collections/social/posts/schema, records/social/posts/<id>, databases/order/schema/tables/<table>/columns/<column> or databases/order/rows/<table>/<key>. Names of tables and keys are percent-encoded.',
    }),
    kind: z.enum(CHANGE_KINDS),
    action: action.meta({ description: 'What the branch did since the base, or the page if only it did.' }),
    side: side.meta({ description: 'Who changed it since the base.' }),
    conflict: z.boolean().meta({ description: 'Both changed it differently, and in the same place.' }),
    needs_confirm: z
      .boolean()
      .meta({ description: 'Merging it removes a column or a table, and needs confirm.' }),
    fields: z
      .array(z.object({ name: z.string(), action, side, conflict: z.boolean() }))
      .optional()
      .meta({ description: 'The fields that differ, of schemas, rules, records and rows.' }),
    base: ChangeContent.nullable().meta({ description: 'What both began with; null if it was not there.' }),
    branch: ChangeContent.nullable(),
    main: ChangeContent.nullable(),
    merged: ChangeContent.nullable().meta({
      description: 'What a merge makes of it if both changed it without a conflict.',
    }),
  })
  .meta({ id: 'BranchChange' });
export type Change = z.infer<typeof Change>;

const sides = {
  branch: z.int().meta({ description: 'Changed on the branch: a merge brings it to the page.' }),
  main: z.int().meta({ description: 'Changed on the page: an update brings it to the branch.' }),
  conflicts: z.int(),
};

export const ChangeGroup = z.object({
  kind: z.enum(CHANGE_KINDS),
  name: z
    .string()
    .meta({ description: 'A function, collection (social/posts) or table (order/people); empty otherwise.' }),
  ...sides,
});
export type ChangeGroup = z.infer<typeof ChangeGroup>;

export const BranchChanges = z.object({
  base: timestamp,
  ...sides,
  groups: z.array(ChangeGroup).meta({ description: 'The numbers by kind and name. All are counted.' }),
  changes: z.array(Change),
  next: z.string().nullable().meta({ description: 'Send it as after for the next changes.' }),
  merge_url: z.string().meta({ description: 'Where a person looks at the changes and merges them.' }),
  left_out: z.array(Said).meta({ description: 'What is not compared, and why.' }),
});
export type BranchChanges = z.infer<typeof BranchChanges>;

export const branchChangesParams = branchParams;

export const ChangesQuery = z.object({
  side: z
    .enum(['branch', 'main', 'conflicts'], choiceRule(['branch', 'main', 'conflicts']))
    .optional()
    .meta({ description: 'Lists only these.' }),
  kind: z.enum(CHANGE_KINDS, choiceRule(CHANGE_KINDS)).optional(),
  path: shortText(500).optional().meta({ description: 'Only this path, or paths that begin with it and /.' }),
  after: shortText(700).optional(),
  limit: queryNumber({ min: 1, max: 200, fallback: 50 }),
});
export type ChangesQuery = z.infer<typeof ChangesQuery>;
