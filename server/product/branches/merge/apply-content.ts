import { AppError } from '../../../lib/errors.ts';
import type { PageRow, Tx } from '../../../platform/storage/index.ts';
import type { FunctionContent } from '../../merge-ports.ts';
import type { AppliedFunctions, BaseMoment, BranchesContext, WantedFunction } from '../context.ts';
import type { MergedSnapshots } from './databases/apply.ts';
import type { Content } from './leaves.ts';

/** What the steps of a restore keep of a merge. */
export interface MergePlan {
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
  /** The next comparison of databases begins at what was merged. */
  hasAllDatabases: boolean;
}

/** Ends a transaction, because the page is not as it was when the merge was decided. */
export class Changed extends AppError {
  constructor() {
    super('CONFLICT', 'Somebody has changed the page meanwhile. Try again.');
  }
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
  /** What databases that both sides have become. */
  merged?: MergedSnapshots;
  assertSame?(tx: Tx, page: PageRow): Promise<void>;
  note(tx: Tx, plan: MergePlan): Promise<void>;
}

/** Gives a page another document, files, settings, functions, schemas and rules, in one transaction. */
export async function applyContent(
  context: BranchesContext,
  { page, current, content, by }: Applying,
  { databases, merged, assertSame, note }: Steps,
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
      plan.replacing = [
        ...findNewDatabases(applied, databases),
        ...(merged?.replacing ?? []).map(({ name, database, snapshot }) => ({
          ...{ functions: [applied.slugs.get(name) ?? name], database, snapshot },
        })),
      ];
      plan.hasAllDatabases = merged?.isComplete ?? true;
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
  hasAllDatabases: true,
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
