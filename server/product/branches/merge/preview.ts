import type { MergeBranch, Merged } from '../../../../contract/pages/branches/merge.ts';
import type { BranchesContext } from '../context.ts';
import { toMergeUrl } from '../wire.ts';
import { compare, type Difference, decide } from './compare.ts';
import { type Conflict, MAX_CONFLICTS, toChange } from './conflicts.ts';
import { findDatabases } from './databases/find.ts';
import { type DatabaseSum, tryDatabases } from './databases/trial.ts';
import { type Content, replaceLeaves } from './leaves.ts';
import { hasRecords, isBaseKept, type RecordSum, sumRecords } from './records.ts';
import { findDataName, type Pair, readNow, readSides } from './sides.ts';
import { Taken } from './taken.ts';
import {
  LOST_RECORDS,
  NO_RECORDS,
  NO_ROWS,
  NOT_ASKED,
  NOT_ASKED_ROWS,
  SOLO_RECORDS,
  sayNumbers,
  toSaid,
} from './words.ts';

/** The side that is changed. */
export type Into = 'branch' | 'main';
/** What somebody wants of a merge. */
export type Wish = Pick<MergeBranch, 'dry_run' | 'take' | 'records' | 'confirm'> & {
  /** Tables whose rows are merged. */
  tables: readonly string[] | 'all';
};

/** What a merge would do, as both sides are now. */
export interface Preview {
  /** What the page has, and what it would have. Undefined if something conflicts. */
  current: Content;
  content: Content | undefined;
  differences: Difference[];
  records: RecordSum | undefined;
  withRecords: boolean;
  databases: DatabaseSum;
  hasDatabases: boolean;
  conflicts: Conflict[];
  count: number;
}

export async function preview(
  context: BranchesContext,
  pair: Pair,
  { into, take = [], records, tables, confirm }: Wish & { into: Into },
): Promise<Preview> {
  const now = { branch: await readNow(context, pair.branch), main: await readNow(context, pair.main) };
  const sides = await readSides(context, pair, now);
  const taken = new Taken(take);
  const differences = await compare(sides);
  const { replaced, conflicts } = decide(differences, taken, { sides, into });
  const hasSome = records && hasRecords(pair) && findDataName(context, pair) !== undefined;
  // Nobody asks for the records of an update, so it leaves out what it cannot compare. A merge fails.
  const withRecords = hasSome && (into === 'main' || (await isBaseKept(context, pair)));
  const pages = { branch: { pageId: pair.branch.id }, main: { pageId: pair.main.id } };
  const sum = withRecords
    ? await sumRecords(context, pair, { taken, into, ...pages, limit: MAX_CONFLICTS })
    : undefined;
  const content =
    conflicts.length > 0 ? undefined : replaceLeaves(sides.main, replaced, [sides.branch, sides.main]);
  const { branch, main } = now;
  const functions = { branch: branch.state.functions, main: main.state.functions };
  const found = await findDatabases(context, pair, functions);
  const databases = await tryDatabases(context, pair, found, {
    ...{ into, take, tables, confirm },
    functions: {
      wanted: (content ?? sides[into === 'main' ? 'branch' : 'main']).functions,
      current: sides[into].functions,
    },
  });
  return {
    ...{ current: sides[into], content, differences, records: sum, withRecords, databases },
    hasDatabases: found.pairs.length > 0,
    conflicts: [...conflicts, ...(sum?.conflicts ?? []), ...databases.conflicts],
    count: conflicts.length + (sum?.conflictCount ?? 0) + databases.conflictCount,
  };
}

export async function describe(
  context: BranchesContext,
  pair: Pair,
  found: Preview,
  { into, take = [], records, tables, dry_run }: Wish & { into: Into },
): Promise<Merged> {
  const numbers = countParts(found, new Taken(take), into);
  const conflicts = found.conflicts.slice(0, MAX_CONFLICTS);
  const type = findDataName(context, pair);
  const { databases, hasDatabases } = found;
  const hasData = hasRecords(pair);
  const isSolo = pair.main.storage_mode === 'solo_app';
  return {
    success: true,
    dry_run,
    ...{ version: null, undo: null, numbers, summary: sayNumbers(numbers) },
    conflicts: await Promise.all(conflicts.map((each) => toChange(each))),
    conflict_count: found.count,
    needs_confirm: into === 'main' ? databases.drops : [],
    problems: databases.problems.map(toSaid),
    left_out: [
      ...(type && !hasData ? [NO_RECORDS] : []),
      ...(type && hasData && !records ? [NOT_ASKED] : []),
      ...(type && hasData && records && !found.withRecords ? [LOST_RECORDS] : []),
      ...(isSolo ? [SOLO_RECORDS] : []),
      ...(hasDatabases && !hasData && !type ? [NO_ROWS] : []),
      ...(hasDatabases && hasData && tables !== 'all' ? [NOT_ASKED_ROWS] : []),
      ...databases.leftOut,
    ].map(toSaid),
    merge_url: toMergeUrl(context.baseUrl, pair.row),
    rehearsal: null,
  };
}

function countParts(
  { differences, records, databases }: Preview,
  taken: Taken,
  into: Into,
): Merged['numbers'] {
  const functions = new Set<string>();
  const collections = new Set<string>();
  const counts = { files: 0, settings: 0 };
  for (const { path, side, kind } of differences) {
    if (side === into || taken.find(path) === into) continue;
    const [, name = '', inner = ''] = path.split('/');
    if (kind === 'file') counts.files++;
    else if (kind === 'function') functions.add(name);
    else if (kind === 'collection') collections.add(`${name}/${inner}`);
    else counts.settings++;
  }
  const { created = 0, updated = 0, deleted = 0 } = records ?? {};
  return {
    ...{ ...counts, functions: functions.size, collections: collections.size },
    ...{ records: { created, updated, deleted }, tables: databases.tables, rows: databases.rows },
  };
}
