import { notFound } from '../../../lib/errors.ts';
import type { RestoreRow, Tx } from '../../../platform/storage/index.ts';
import { type Bases, type Earlier, readBases, writeBases } from '../bases.ts';
import type { BaseMoment, BranchesContext } from '../context.ts';
import { findBranchByPage, listAbout, updateBranch } from '../store.ts';
import { applyContent, Changed, type MergePlan } from './apply-content.ts';
import { compare, decide, type Sides } from './compare.ts';
import { conflictError } from './conflicts.ts';
import {
  type DatabaseMerge,
  dropSnapshots,
  fromMoments,
  hasWritten,
  type MergedSnapshots,
  mergeDatabases,
  readStamps,
} from './databases/apply.ts';
import { findDatabases, hasRows } from './databases/find.ts';
import { assertDecided, type GivenUp } from './given-up.ts';
import { type Content, replaceLeaves } from './leaves.ts';
import { compareRecords, decideRecord, listCollections, sumRecords } from './records.ts';
import { findPair, type Pair, readSides, requireMoment } from './sides.ts';
import { type Take, Taken } from './taken.ts';

/** What was decided about a merge, as its row has it. */
export interface MergeOrder {
  /** The page of the branch. */
  branch: number;
  /** The side that is changed. */
  into: 'branch' | 'main';
  /** The time of the moment of the other side that is merged. */
  from: number;
  /** What both sides were compared with when this was decided. An update may move those of the branch meanwhile. */
  bases: Bases;
  take: Take;
  /** What decisions were known to replace of the side that is changed. */
  givenUp: GivenUp;
  records: boolean;
  /** Tables whose rows are merged. */
  tables: readonly string[] | 'all';
  /** Columns and tables may be removed. */
  confirm: boolean;
}

const readOrder = ({ merge }: Pick<RestoreRow, 'merge'>): MergeOrder => ({
  ...{ tables: [], confirm: false, givenUp: {} },
  ...(JSON.parse(merge ?? '{}') as MergeOrder),
});

async function requirePair(context: BranchesContext, order: MergeOrder): Promise<Pair> {
  const row = await findBranchByPage(context.db, order.branch);
  if (!row) throw notFound('This page was not found.');
  return { ...(await findPair(context, row)), bases: order.bases };
}

/** The steps of a merge that are not those of every restore. */
export function createMerging(context: BranchesContext) {
  return {
    apply: (row: RestoreRow, before: BaseMoment['state'], note: Note) => apply(context, row, before, note),
    applyRecords: (row: RestoreRow, options: RecordOptions) => applyRecords(context, row, options),
    /** Notes what a branch is compared with from now on: after a merge, or when one is undone. */
    ended: (tx: Tx, row: RestoreRow, plan: { hasAllDatabases?: boolean }) =>
      row.merge === null ? goBack(tx, row) : moveBase(context, tx, row, plan),
  };
}

type Note = (tx: Tx, plan: MergePlan) => Promise<void>;

interface RecordOptions {
  signal: AbortSignal;
  /** Called in each transaction: if it fails, nothing more is changed. */
  admit(tx: Tx): Promise<void>;
}

async function apply(
  context: BranchesContext,
  row: RestoreRow,
  before: BaseMoment['state'],
  note: Note,
): Promise<MergePlan | undefined> {
  const order = readOrder(row);
  const pair = await requirePair(context, order);
  const from = { pageId: pair[order.into === 'main' ? 'branch' : 'main'].id, at: order.from };
  const other = await requireMoment(context, from);
  const target = { page: { pageId: row.page_id }, state: before };
  const sides = await readSides(
    context,
    pair,
    order.into === 'main' ? { branch: other, main: target } : { branch: target, main: other },
  );
  const content = await decideContent(sides, order);
  if (order.records) await assertNoConflicts(context, pair, order);
  const { owner_id } = pair.main;
  const stamps = await readStamps(context, owner_id, before.databases);
  if (!stamps) return undefined;
  const current = sides[order.into];
  const merged = await mergeBoth(context, pair, order, {
    functions: { wanted: content.functions, current: current.functions },
    states:
      order.into === 'main' ? { branch: other.state, main: before } : { branch: before, main: other.state },
  });
  const given = { page: pair[order.into], current, content, by: row.user_id };
  try {
    return await applyContent(context, given, {
      databases: other.state,
      merged,
      async assertSame(tx, page) {
        const { page: shown, functions } = await context.moments.readState(tx, page);
        const was = { page: before.page, functions: before.functions };
        if (JSON.stringify({ page: shown, functions }) !== JSON.stringify(was)) throw new Changed();
        if (hasWritten(context, owner_id, stamps)) throw new Changed();
      },
      note,
    });
  } catch (error) {
    await dropSnapshots(context, merged);
    if (error instanceof Changed) return undefined;
    throw error;
  }
}

/** Merges the databases as the moments of both sides have them. */
async function mergeBoth(
  context: BranchesContext,
  pair: Pair,
  { into, take, tables, confirm }: MergeOrder,
  given: {
    functions: DatabaseMerge['functions'];
    states: Record<'branch' | 'main', BaseMoment['state']>;
  },
): Promise<MergedSnapshots> {
  const { functions, states } = given;
  const { branch, main } = states;
  const found = await findDatabases(context, pair, { branch: branch.functions, main: main.functions });
  return mergeDatabases(context, {
    ...{ pair, found, functions, wish: { into, take, tables: hasRows(pair) ? tables : [], confirm } },
    read: (each) => fromMoments(pair, each, states),
    findTarget: (each) => each[into],
  });
}

async function applyRecords(
  context: BranchesContext,
  row: RestoreRow,
  options: RecordOptions,
): Promise<void> {
  const order = readOrder(row);
  if (!order.records) return;
  const pair = await requirePair(context, order);
  const target = pair[order.into];
  const from = pair[order.into === 'main' ? 'branch' : 'main'];
  const id = row.user_id ?? target.owner_id;
  const by = { id, username: (await context.readUsernames([id])).get(id) ?? '' };
  const taken = new Taken(order.take);
  for (const collection of await listCollections(context, pair))
    for await (const piece of compareRecords(context, pair, collection, toPages(pair, order))) {
      const decided = piece.flatMap((record) => {
        const each = decideRecord(record, taken, order.into);
        return each === undefined || each === 'conflict' ? [] : [[record.id, each] as const];
      });
      const given = { from, by, ...options };
      await context.parts().records.applyRecords(target, collection, new Map(decided), given);
    }
}

async function moveBase(
  context: BranchesContext,
  tx: Tx,
  row: RestoreRow,
  { hasAllDatabases = false }: { hasAllDatabases?: boolean },
): Promise<void> {
  const order = readOrder(row);
  const branch = await findBranchByPage(tx, order.branch);
  if (!branch) return;
  const { earlier, ...bases } = readBases(branch);
  const from = { pageId: order.into === 'main' ? branch.page_id : branch.of_page_id, at: order.from };
  const next: Bases = {
    ...bases,
    page: from,
    ...(order.records && { records: from }),
    // Rows that were not asked for still differ from the base.
    ...(hasAllDatabases && { databases: from }),
  };
  const undone: Earlier = { changed: row.page_id, undo: row.undo_at ?? row.at, bases };
  await updateBranch(tx, branch.page_id, {
    ...writeBases(branch, next, [...earlier, undone]),
    ...{ used_at: context.now(), warned_at: null },
  });
}

/** The two sides of the records: one as it is, the other as it was at the moment that is merged. */
const toPages = ({ branch, main }: Pair, { into, from }: MergeOrder) => ({
  branch: { pageId: branch.id, ...(into === 'main' && { at: from }) },
  main: { pageId: main.id, ...(into === 'branch' && { at: from }) },
});

async function decideContent(sides: Sides, { take, into, givenUp }: MergeOrder): Promise<Content> {
  const taken = new Taken(take);
  const differences = await compare(sides);
  await assertDecided(differences, taken, { into, known: givenUp });
  const { replaced, conflicts } = decide(differences, taken, { sides, into });
  if (conflicts.length > 0) throw await conflictError(conflicts, conflicts.length);
  return replaceLeaves(sides.main, replaced, [sides.branch, sides.main]);
}

async function assertNoConflicts(context: BranchesContext, pair: Pair, order: MergeOrder): Promise<void> {
  const given = { taken: new Taken(order.take), into: order.into, ...toPages(pair, order) };
  const { conflicts, conflictCount } = await sumRecords(context, pair, { ...given, limit: 50 });
  if (conflictCount > 0) throw await conflictError(conflicts, conflictCount);
}

/** The parts that a merge changes. */
const GOING_BACK = ['page', 'functions', 'records', 'databases'];

/** A restore of the moment before a merge makes the branch differ from its page again. */
async function goBack(tx: Tx, row: RestoreRow): Promise<void> {
  const parts = JSON.parse(row.parts) as string[];
  for (const branch of await listAbout(tx, row.page_id)) {
    const { earlier, ...bases } = readBases(branch);
    const index = earlier.findIndex(({ changed, undo }) => changed === row.page_id && undo >= row.at);
    const found = earlier[index]?.bases;
    if (!found) continue;
    const back: Bases = {
      page: parts.includes('page') || parts.includes('functions') ? found.page : bases.page,
      records: parts.includes('records') ? found.records : bases.records,
      databases: parts.includes('databases') ? found.databases : bases.databases,
    };
    // What did not go back can still do so later.
    const isWhole = GOING_BACK.every((part) => parts.includes(part));
    await updateBranch(
      tx,
      branch.page_id,
      writeBases(branch, back, isWhole ? earlier.slice(0, index) : earlier),
    );
  }
}
