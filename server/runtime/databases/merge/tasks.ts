import { z } from 'zod';
import type { MergeOrder, Stripped } from './port.ts';

/** What the server asks the process that merges databases, and what it reports. */

/** The code of the error if a copy without rows has no tables either. */
export const EMPTY_COPY = 'EMPTY_COPY';

export interface CompareTask {
  kind: 'compare';
  table?: string | undefined;
  offset: number;
  limit: number;
  rows: boolean;
  isOwn: boolean;
  key?: string | undefined;
  stripped?: Stripped;
}

export interface MergeTask extends MergeOrder {
  kind: 'merge';
  /** The merged database is not needed. */
  isTrial: boolean;
}

export type SqlTask = (CompareTask | MergeTask) & { folder: string };

const Value = z.union([z.string(), z.number(), z.null()]);
const Change = z.enum(['added', 'changed', 'dropped']).optional();
const count = z.int().min(0);
const Counts = z.object({ added: count, changed: count, deleted: count });

const Schema = z.object({
  path: z.string(),
  type: z.enum(['table', 'column', 'constraint', 'index', 'view', 'trigger']),
  name: z.string(),
  table: z.string().optional(),
  branch: Change,
  main: Change,
  conflict: z.boolean(),
  drops: z.boolean(),
  sql: z.object({
    base: z.string().optional(),
    branch: z.string().optional(),
    main: z.string().optional(),
  }),
});
const Table = z.object({
  path: z.string(),
  name: z.string(),
  unmergeable: z.enum(['no_key', 'key_changed', 'virtual']).optional(),
  branch: Counts.optional(),
  main: Counts.optional(),
  conflicts: count,
  isChanged: z.object({ branch: z.boolean(), main: z.boolean() }),
});
const Row = z.object({
  path: z.string(),
  table: z.string(),
  key: z.array(Value),
  keyNames: z.array(z.string()),
  kind: z.enum(['added', 'changed', 'deleted']),
  conflict: z.boolean(),
  main: z.enum(['same', 'changed', 'none']),
  columns: z.array(
    z.object({ name: z.string(), base: Value, branch: Value, main: Value, conflict: z.boolean() }),
  ),
});

export const Comparison = z.object({
  schema: z.array(Schema),
  tables: z.array(Table),
  rows: z.array(Row),
  isCut: z.boolean(),
});

const Broken = z.object({
  kind: z.enum(['reference', 'damage', 'table', 'index', 'view', 'trigger', 'rows', 'virtual', 'migration']),
  /** The name of the table, the index and so on. */
  of: z.string(),
  /** What is referred to, and by how many rows. */
  parent: z.string().optional(),
  count: count.optional(),
  /** What SQLite says. */
  message: z.string(),
});
/** What a merge would break. */
export type Broken = z.infer<typeof Broken>;

const effects = {
  tables: z.array(z.object({ name: z.string() }).extend(Counts.shape)),
  altered: count,
  drops: z.array(z.string()),
  missing: z.array(z.string()),
};
const Outcome = z.union([
  z.object({ isMerged: z.literal(true), isSame: z.boolean(), hasOtherRows: z.boolean(), ...effects }),
  z.object({
    isMerged: z.literal(false),
    ...effects,
    conflicts: z.array(z.union([Schema, Row, Table])),
    conflictCount: count,
    violations: z.array(Broken),
  }),
]);
export type MergeOutcome = z.infer<typeof Outcome>;

/** The file of the merged database, packed. */
const Packed = z.object({
  pageBytes: z.int().min(512).max(65_536),
  pageCount: count,
  at: z.number(),
  pages: z.int(),
  isFull: z.boolean(),
  bytes: z.int(),
  checksum: z.string().max(64),
});

/** The last line that the process prints. */
export const SqlReport = z.union([
  z.object({ compared: Comparison }),
  z.object({ merged: Outcome, packed: Packed.optional() }),
]);
export type SqlReport = z.infer<typeof SqlReport>;
