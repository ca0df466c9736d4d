import { MAX_BRANCHES } from '../../../contract/rules/limits.ts';
import { phrase } from '../../../contract/rules/texts/fill.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { randomSecret } from '../../lib/secrets.ts';
import { isThrowawaySlug } from '../../lib/throwaway-names.ts';
import type { BranchRow, PageRow, Tx } from '../../platform/storage/index.ts';
import type { ChargeUsage } from '../ports.ts';
import type { BaseMoment, BranchesContext } from './context.ts';
import { LEAST_BYTES } from './copied-usage.ts';
import { countBranches, countThrowaways, findBranch, insertBranch } from './store.ts';

/** A branch whose node has not renewed it for this long is made by another one. */
export const LEASE_MS = 30_000;
/** Branches of one page that are removed by themselves, at a time. */
const MAX_THROWAWAYS = 3;

/** A branch to make. */
export interface BranchOrder {
  name: string;
  data: BranchRow['data'];
  /** The person who makes it. */
  by: number;
  /** It starts from the last moment at or before this time; without it, from the page as it is. */
  at?: number | undefined;
  /** It is in no list, and is removed by itself then. */
  expiresAt?: number | undefined;
}

/** What is left to do for a branch whose page and functions are there. */
export interface Plan {
  databases: Array<{ to: number; snapshot: number }>;
  salt: string;
}

/** Adds the page of a branch with its functions, whose databases and records are still missing. */
export async function addBranch(
  context: BranchesContext,
  main: PageRow,
  order: BranchOrder,
): Promise<{ row: BranchRow; page: PageRow }> {
  const { db, directory } = context;
  assertOn(context);
  directory.assertNotTakenDown(main, { userId: order.by });
  // What is tried on a branch for some minutes is no branch that somebody works on.
  if (order.expiresAt === undefined) assertNotBranch(main);
  // Before the moment is kept, which copies databases.
  await db.transaction().execute((tx) => assertFree(tx, main, order));
  const base = await findBase(context, main, order);
  await context.parts().records.assertKept(main.id, base.at);
  return db.transaction().execute(async (tx) => {
    const locked = await directory.lock(tx, main.id);
    if (!locked) throw notFound('This page was not found.');
    directory.assertNotTakenDown(locked, { userId: order.by });
    await assertFree(tx, locked, order);
    return addRows(context, tx, locked, order, base);
  });
}

async function addRows(
  context: BranchesContext,
  tx: Tx,
  main: PageRow,
  order: BranchOrder,
  { at, state }: BaseMoment,
): Promise<{ row: BranchRow; page: PageRow }> {
  const { pages, functions } = context.parts();
  const { name, data, by, expiresAt } = order;
  const slug = toBranchSlug(main, name);
  const { charge, taken } = await countCopied(context, tx, main, order);
  const page = await pages.create(tx, main, { slug, state: state.page, by, charge });
  const copied = await functions.copy(tx, page, { main, name, states: state.functions, charge });
  const slugs = new Map((await functions.list(tx, page.id)).map((each) => [each.name, each.slug]));
  const offered = state.page.agentFunctions.map((each) => ({
    ...each,
    slug: slugs.get(each.slug) ?? each.slug,
  }));
  await pages.offer(tx, page, offered, charge);
  const snapshots = new Map(state.databases.map(({ database, snapshot }) => [database, snapshot]));
  const plan: Plan = {
    databases: copied.flatMap(({ from, to }) => {
      const snapshot = snapshots.get(from);
      return snapshot === undefined ? [] : [{ to, snapshot }];
    }),
    salt: randomSecret(),
  };
  const now = context.now();
  const row = await insertBranch(tx, {
    ...{ page_id: page.id, of_page_id: main.id, name, data, base_at: at },
    ...{ step: 'databases', plan: JSON.stringify(plan), created_by: by, created_at: now, used_at: now },
    ...{ expires_at: expiresAt ?? null, claimed_until: now + LEASE_MS },
    ...taken,
  });
  return { row, page };
}

/** Charges for what a branch adds. A copy for some minutes does not count: what it adds is noted in `taken` instead. */
async function countCopied(
  { chargeUsage, chargeWithoutQuota }: BranchesContext,
  tx: Tx,
  main: PageRow,
  { expiresAt }: BranchOrder,
): Promise<{ charge: ChargeUsage; taken: Pick<BranchRow, 'copied_functions' | 'copied_bytes'> }> {
  const taken = { copied_functions: 0, copied_bytes: 0 };
  if (expiresAt === undefined) return { charge: chargeUsage, taken };
  await chargeUsage(tx, main.owner_id, { bytes: LEAST_BYTES });
  await chargeWithoutQuota(tx, main.owner_id, { bytes: -LEAST_BYTES });
  return {
    taken,
    async charge(inside, ownerId, change) {
      taken.copied_functions += change.functions ?? 0;
      taken.copied_bytes += change.bytes;
      await chargeWithoutQuota(inside, ownerId, change);
    },
  };
}

export const toBranchSlug = (main: Pick<PageRow, 'slug'>, name: string) => `${main.slug}--${name}`;

/** The moment that a branch starts from. */
async function findBase(
  { moments }: BranchesContext,
  main: PageRow,
  { at, by, name, expiresAt }: BranchOrder,
): Promise<BaseMoment> {
  const keep = async () => {
    const text = phrase('Kept for the branch “{name}”.', { name });
    const kept = await moments.keep(main.id, { kind: 'branch', by, text });
    return kept === undefined ? undefined : moments.find(main.id, kept);
  };
  const base =
    expiresAt !== undefined
      ? await moments.findPresent(main.id)
      : at !== undefined
        ? await moments.find(main.id, at)
        : await keep();
  if (base) return base;
  throw notFound(
    at === undefined
      ? 'This page was not found.'
      : 'There is no moment at or before this time. List them with GET /api/pages/<id>/moments.',
  );
}

/** Fails if a branch that somebody names cannot have this name. */
export async function assertFreeName(tx: Tx, main: PageRow, name: string): Promise<void> {
  if (await findBranch(tx, main.id, name))
    throw new AppError('CONFLICT', 'This page has a branch {name} already. Choose another name.', { name });
  // Whoever knows such a name can call the functions of the branch.
  if (isThrowawaySlug(`--${name}`))
    throw new AppError('CONFLICT', 'The service uses names such as {name} itself. Choose another name.', {
      name,
    });
}

async function assertFree(tx: Tx, main: PageRow, { name, expiresAt }: BranchOrder): Promise<void> {
  if (expiresAt === undefined) await assertFreeName(tx, main, name);
  if (expiresAt === undefined && (await countBranches(tx, main.id)) >= MAX_BRANCHES)
    throw new AppError(
      'QUOTA_EXCEEDED',
      'This page has {count} branches, which is the limit. Delete one first.',
      {
        count: MAX_BRANCHES,
      },
    );
  if (expiresAt !== undefined && (await countThrowaways(tx, main.id)) >= MAX_THROWAWAYS)
    throw new AppError(
      'CONFLICT',
      'Copies of this page are being tried {count} times at once, which is the limit. Wait until one has ended.',
      { count: MAX_THROWAWAYS },
    );
}

export function assertNotBranch(page: PageRow): void {
  if (page.branch_of === null) return;
  throw new AppError(
    'CONFLICT',
    'A branch has no branches. Use the page that it is a branch of, which has the id {id}.',
    {
      id: String(page.branch_of),
    },
  );
}

export function assertOn({ moments }: BranchesContext): void {
  if (moments.isOn) return;
  throw new AppError(
    'UNAVAILABLE',
    'This server keeps no history (QUIRE_HISTORY_DAYS is 0), and branches need it. Ask the people who run it.',
  );
}
