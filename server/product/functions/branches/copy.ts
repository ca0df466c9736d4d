import { BRANCH_CREDITS_PER_DAY } from '../../../../contract/rules/credit-amounts.ts';
import { AppError } from '../../../lib/errors.ts';
import { isThrowawaySlug } from '../../../lib/throwaway-names.ts';
import type { Db, PageRow, Tx } from '../../../platform/storage/index.ts';
import type { FunctionContent } from '../../merge-ports.ts';
import type { FunctionState } from '../../moment-ports.ts';
import type { ChargeUsage } from '../../ports.ts';
import { insertDatabase } from '../database/store.ts';
import { countVersionBytes, toCurrentVersion, type VersionContent } from '../deploy/add-version.ts';
import { removeAdmitted } from '../deploy/deploy.ts';
import { carryTakedown } from '../model/block.ts';
import { listLeft, listOfBranch } from '../model/branch-store.ts';
import { findRemoved } from '../model/removed-store.ts';
import { findFunction, findFunctionById, insertFunction } from '../model/store.ts';
import { findVersion, insertVersion } from '../model/version-store.ts';
import { planSchedules, replaceSchedules } from '../schedules/change.ts';
import { replaceTriggers } from '../triggers/change.ts';
import {
  type AppliedFunctions,
  applyFunctions,
  build,
  type ContentContext,
  readContents,
  type WantedFunction,
} from './content.ts';
import { stripDatabase } from './strip-database.ts';

const MAX_SLUG = 100;
/** Other slugs that are tried if somebody has one already. */
const MAX_TRIES = 50;

/** The functions of branches. */
export interface FunctionBranches {
  /**
   * Copies functions of a page to a branch, with the code and schedules of then, and without secrets. Returns the databases
   * to fill.
   */
  copy(
    tx: Tx,
    branch: PageRow,
    given: { main: PageRow; name: string; states: readonly FunctionState[]; charge: ChargeUsage },
  ): Promise<Array<{ from: number; to: number }>>;
  /** Takes the rows out of the databases of a branch, or replaces their texts. */
  strip(branch: Pick<PageRow, 'id'>, how: 'schema' | 'masked'): Promise<void>;
  /** What a branch calls its functions, and the slugs that they have. */
  list(db: Db, pageId: number): Promise<Array<{ id: number; name: string; slug: string }>>;
  /** Deletes the functions of a branch, with their databases. */
  removeAll(branch: Pick<PageRow, 'id' | 'slug' | 'owner_id'>, charge: ChargeUsage): Promise<void>;
  /** The functions of a state of a page, to compare them. */
  readContents(pageId: number, states: readonly FunctionState[]): Promise<Map<string, FunctionContent>>;
  /** Finds or makes the code that runs. */
  build(ownerId: number, content: FunctionContent): Promise<WantedFunction>;
  /** Makes the functions of a page those that are wanted, by the name that it calls them by. */
  apply(tx: Tx, page: PageRow, wanted: ReadonlyMap<string, WantedFunction>): Promise<AppliedFunctions>;
}

export type BranchesContext = ContentContext;

export function createFunctionBranches(context: BranchesContext): FunctionBranches {
  return {
    async copy(tx, branch, { main, name, states, charge }) {
      const databases = new Map<number, number>();
      for (const state of states)
        await copyOne({ ...context, chargeUsage: charge }, tx, { branch, main, name, state }, databases);
      return [...databases].map(([from, to]) => ({ from, to }));
    },
    async strip({ id }, how) {
      const done = new Set<number>();
      for (const { slug } of await listOfBranch(context.db, id)) {
        const row = await findFunction(context.db, slug);
        if (!row || row.database_id === null || done.has(row.database_id)) continue;
        done.add(row.database_id);
        await stripDatabase(context.databases, row, how);
      }
    },
    list: listOfBranch,
    readContents: (pageId, states) => readContents(context, pageId, states),
    build: (ownerId, content) => build(context, ownerId, content),
    apply: (tx, page, wanted) => applyFunctions(context, tx, page, wanted),
    async removeAll(branch, charge) {
      const own = await listOfBranch(context.db, branch.id);
      for (const { slug } of [...own, ...(await listLeft(context.db, branch))])
        await removeAdmitted({ ...context, chargeUsage: charge }, slug, (row) => {
          // It may have been moved to another page meanwhile.
          if (row && row.page_id !== branch.id && !isThrowawaySlug(slug))
            throw new AppError('CONFLICT', 'The function has another page now.');
        });
    },
  };
}

async function copyOne(
  context: BranchesContext,
  tx: Tx,
  given: { branch: PageRow; main: PageRow; name: string; state: FunctionState },
  databases: Map<number, number>,
): Promise<void> {
  const { now, chargeUsage } = context;
  const { branch, main, name, state } = given;
  const present = await findFunctionById(tx, state.id);
  const found =
    (await findVersion(tx, state.id, state.version)) ??
    (present?.version === state.version ? toCurrentVersion(present) : await findRemoved(tx, main.id, state));
  if (!found)
    throw new AppError(
      'CONFLICT',
      'The code that the function {slug} had then is no longer kept. Start from a later moment.',
      {
        slug: state.slug,
      },
    );
  const { code, files, bundle, source_map } = found;
  const content: VersionContent = { code, files, bundle, source_map };
  const size = countVersionBytes(content);
  const at = now();
  if (state.database !== null && !databases.has(state.database))
    databases.set(state.database, await insertDatabase(tx, main.owner_id, at));
  await chargeUsage(tx, main.owner_id, { functions: 1, bytes: size });
  const id = await insertFunction(tx, {
    owner_id: main.owner_id,
    slug: await chooseSlug(tx, state.slug, name),
    display_name: state.name,
    description: state.description,
    code,
    ...carryTakedown(present ?? found),
    is_public: present?.is_public ?? ('is_public' in found ? found.is_public : 0),
    database_id: state.database === null ? null : (databases.get(state.database) ?? null),
    ai_daily_credits: Math.min(present?.ai_daily_credits ?? 0, BRANCH_CREDITS_PER_DAY),
    ...{ page_id: branch.id, branch_slug: state.branchSlug ?? state.slug },
    ...{ created_at: at, updated_at: at },
  });
  if (id === undefined)
    throw new AppError('CONFLICT', 'The name of a function was taken just now. Try again.');
  await insertVersion(tx, { function_id: id, version: 1, ...content, size, created_at: at, note: null });
  const planned = await planSchedules(state.schedules, at);
  await replaceSchedules(tx, { functionId: id, ownerId: main.owner_id }, planned, at);
  await replaceTriggers(context, tx, { functionId: id, pageId: branch.id }, state.on ?? []);
}

/** A free slug that says which branch of which function it is. */
async function chooseSlug(tx: Tx, slug: string, branch: string): Promise<string> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const suffix = tries === 1 ? `--${branch}` : `--${branch}-${tries}`;
    const wished = slug.slice(0, MAX_SLUG - suffix.length).replace(/-+$/, '') + suffix;
    if (!(await findFunction(tx, wished))) return wished;
  }
  throw new AppError(
    'CONFLICT',
    'Functions with the slug {slug} and this branch exist already. Choose another name for the branch.',
    {
      slug,
    },
  );
}
