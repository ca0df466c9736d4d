import { AppError, notFound } from '../../../lib/errors.ts';
import type { PageRow, RestoreRow, Tx } from '../../../platform/storage/index.ts';
import type { FunctionContent } from '../../merge-ports.ts';
import { type Bases, type Earlier, readBases, writeBases } from '../bases.ts';
import type { AppliedFunctions, BaseMoment, BranchesContext, WantedFunction } from '../context.ts';
import { findBranchByPage, listAbout, updateBranch } from '../store.ts';
import { compare, decide, type Sides } from './compare.ts';
import { conflictError } from './conflicts.ts';
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
  records: boolean;
}

/** What the steps of a restore keep of a merge. */
interface MergePlan {
  changes: {
    page_version?: number;
    settings: boolean;
    functions: Array<{ slug: string; version: number }>;
    records: number;
    databases: string[];
    created: number;
    updated: number;
    deleted: number;
    collections: [];
    made_again: [];
    not_restored: [];
  };
  replacing: Array<{ functions: string[]; database: number; snapshot: number }>;
}

/** Ends a transaction, because the page is not as it was when the merge was decided. */
class Changed extends AppError {
  constructor() {
    super('CONFLICT', 'Somebody has changed the page meanwhile. Try again.');
  }
}

const readOrder = ({ merge }: Pick<RestoreRow, 'merge'>) => JSON.parse(merge ?? '{}') as MergeOrder;

async function requirePair(context: BranchesContext, order: MergeOrder): Promise<Pair> {
  const row = await findBranchByPage(context.db, order.branch);
  if (!row) throw notFound('This page was not found.');
  return { ...(await findPair(context, row)), bases: order.bases };
}

/** The steps of a merge that are not those of every restore. */
export function createMerging(context: BranchesContext) {
  return {
    apply: (row: RestoreRow, before: BaseMoment['state'], note: Note) => apply(context, row, before, note),
    applyRecords: (row: RestoreRow, signal: AbortSignal) => applyRecords(context, row, signal),
    /** Notes what a branch is compared with from now on: after a merge, or when one is undone. */
    ended: (tx: Tx, row: RestoreRow) => (row.merge === null ? goBack(tx, row) : moveBase(context, tx, row)),
  };
}

type Note = (tx: Tx, plan: MergePlan) => Promise<void>;

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
  const given = { page: pair[order.into], current: sides[order.into], content, by: row.user_id };
  try {
    return await applyContent(context, given, {
      databases: other.state,
      async assertSame(tx, page) {
        const { page: shown, functions } = await context.moments.readState(tx, page);
        const was = { page: before.page, functions: before.functions };
        if (JSON.stringify({ page: shown, functions }) !== JSON.stringify(was)) throw new Changed();
      },
      note,
    });
  } catch (error) {
    if (error instanceof Changed) return undefined;
    throw error;
  }
}

async function applyRecords(context: BranchesContext, row: RestoreRow, signal: AbortSignal): Promise<void> {
  const order = readOrder(row);
  if (!order.records) return;
  const pair = await requirePair(context, order);
  const target = pair[order.into];
  const taken = new Taken(order.take);
  for (const collection of await listCollections(context, pair))
    for await (const piece of compareRecords(context, pair, collection, toPages(pair, order))) {
      const decided = piece.flatMap((record) => {
        const each = decideRecord(record, taken, order.into);
        return each === undefined || each === 'conflict' ? [] : [[record.id, each] as const];
      });
      const by = row.user_id ?? target.owner_id;
      await context.parts().records.applyRecords(target, collection, new Map(decided), { by, signal });
    }
}

async function moveBase(context: BranchesContext, tx: Tx, row: RestoreRow): Promise<void> {
  const order = readOrder(row);
  const branch = await findBranchByPage(tx, order.branch);
  if (!branch) return;
  const { earlier, ...bases } = readBases(branch);
  const from = { pageId: order.into === 'main' ? branch.page_id : branch.of_page_id, at: order.from };
  const next: Bases = { ...bases, page: from, ...(order.records && { records: from }) };
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

async function decideContent(sides: Sides, { take, into }: MergeOrder): Promise<Content> {
  const { replaced, conflicts } = decide(await compare(sides), new Taken(take), { sides, into });
  if (conflicts.length > 0) throw await conflictError(conflicts, conflicts.length);
  return replaceLeaves(sides.main, replaced, [sides.branch, sides.main]);
}

async function assertNoConflicts(context: BranchesContext, pair: Pair, order: MergeOrder): Promise<void> {
  const given = { taken: new Taken(order.take), into: order.into, ...toPages(pair, order) };
  const { conflicts, conflictCount } = await sumRecords(context, pair, { ...given, limit: 50 });
  if (conflictCount > 0) throw await conflictError(conflicts, conflictCount);
}

interface Applying {
  /** The page that is changed. */
  page: PageRow;
  /** What it has now. */
  current: Content;
  /** What it shall have. */
  content: Content;
  by: number | null;
}

interface Steps {
  /** Where the content of new databases comes from. */
  databases: Pick<BaseMoment['state'], 'databases'>;
  assertSame?(tx: Tx, page: PageRow): Promise<void>;
  note(tx: Tx, plan: MergePlan): Promise<void>;
}

/** Gives a page another document, files, settings, functions, schemas and rules, in one transaction. */
export async function applyContent(
  context: BranchesContext,
  { page, current, content, by }: Applying,
  { databases, assertSame, note }: Steps,
): Promise<MergePlan> {
  const { pages, functions, records } = context.parts();
  const wanted = await buildChanged(context, page.owner_id, content, current);
  const author = by ?? page.owner_id;
  const collections = { wanted: byName(content), current: byName(current) };
  const plan: MergePlan = emptyPlan();
  const { result } = await pages.applyContent(
    page.id,
    { content: content.page, by: author },
    async (tx, locked) => {
      await assertSame?.(tx, locked);
      const applied = await functions.apply(tx, locked, wanted);
      const announce = await records.applyCollections(tx, locked, collections, author);
      if (!announce) throw new Changed();
      return { ...applied, announce };
    },
    async (tx, applied, version) => {
      if (version !== undefined) plan.changes.page_version = version;
      plan.changes.functions = applied.functions;
      plan.replacing = findNewDatabases(applied, databases);
      plan.changes.databases = plan.replacing.flatMap((each) => each.functions);
      await note(tx, plan);
    },
  );
  pages.changed(page.id);
  functions.changed(result.changed);
  result.announce();
  return plan;
}

/** Collections by name instead of path. */
const byName = ({ collections }: Content) =>
  new Map([...collections].map(([path, each]) => [path.slice(path.indexOf('/') + 1), each]));

const emptyPlan = (): MergePlan => ({
  changes: {
    ...{ settings: false, functions: [], records: 0, databases: [], created: 0, updated: 0, deleted: 0 },
    ...{ collections: [], made_again: [], not_restored: [] },
  },
  replacing: [],
});

/** Functions that are added, or get other code, schedules or triggers, with the code that runs. */
async function buildChanged(
  context: BranchesContext,
  ownerId: number,
  content: Content,
  current: Content,
): Promise<Map<string, WantedFunction>> {
  const { functions } = context.parts();
  const wanted = new Map<string, WantedFunction>();
  for (const [name, each] of content.functions) {
    const present = current.functions.get(name);
    const isSame = present && toRuns(present) === toRuns(each);
    wanted.set(name, isSame ? each : await functions.build(ownerId, each));
  }
  return wanted;
}

/** What decides whether a function runs: its code must take its schedules and triggers. */
const toRuns = ({ code, files, schedules, on }: FunctionContent) =>
  JSON.stringify([code, files, schedules, on]);

function findNewDatabases(
  { databases }: AppliedFunctions,
  { databases: copies }: Pick<BaseMoment['state'], 'databases'>,
): MergePlan['replacing'] {
  return databases.flatMap(({ to, from, slug }) => {
    const copy = copies.find(({ database }) => database === from);
    return copy ? [{ functions: [slug], database: to, snapshot: copy.snapshot }] : [];
  });
}

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
    await updateBranch(tx, branch.page_id, writeBases(branch, back, earlier.slice(0, index)));
  }
}
