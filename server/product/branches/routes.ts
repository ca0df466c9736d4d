import { done } from '../../../contract/fields.ts';
import { branchEndpoints } from '../../../contract/pages/branches/branch-endpoints.ts';
import type { Branch, PatchBranch } from '../../../contract/pages/branches/branches.ts';
import { MAX_BRANCHES } from '../../../contract/rules/limits.ts';
import { dashed, findStorageType } from '../../../contract/rules/storage-modes.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import { type Actor, handle, type Route } from '../../platform/http/index.ts';
import type { BranchRow, PageRow } from '../../platform/storage/index.ts';
import type { Branches } from './branches.ts';
import type { BranchesContext } from './context.ts';
import { assertFreeName, toBranchSlug } from './make.ts';
import { listChanges } from './merge/changes.ts';
import { mergeBranch, updateFromMain } from './merge/merge.ts';
import { listMails } from './outbox-store.ts';
import { findBranch, listBranches, updateBranch } from './store.ts';
import { describeBranches } from './wire.ts';

/** How long a request waits for a new branch: most are ready by then. */
const WAIT_MS = 3_000;

export interface BranchRoutes extends BranchesContext {
  branches: Branches;
}

export function branchRoutes(context: BranchRoutes): Route[] {
  const { db, branches } = context;
  return [
    handle(branchEndpoints.listBranches, async ({ params, actor }) => {
      const page = await requirePage(context, params.id, actor, 'read');
      return {
        branches: await describeBranches(context, await listBranches(db, page.id)),
        limit: MAX_BRANCHES,
      };
    }),
    handle(branchEndpoints.createBranch, async ({ params, body, actor }) => {
      const main = await requirePage(context, params.id, actor, 'own');
      await requireFunctionScope(context, [main.id], actor, 'write');
      const { row, ready } = await branches.create(main, { ...body, by: actor.userId });
      await Promise.race([ready, Bun.sleep(WAIT_MS)]);
      return readBranch(context, row);
    }),
    handle(branchEndpoints.getBranch, async ({ params, actor }) => {
      const { row } = await requireBranch(context, params, actor, 'read');
      return readBranch(context, row);
    }),
    handle(branchEndpoints.updateBranch, async ({ params, body, actor, address }) => {
      const { main, row } = await requireBranch(context, params, actor, 'own');
      if (body.access) await context.parts().pages.setAccess(actor, row.page_id, body.access, address);
      if (body.name !== undefined && body.name !== row.name) await rename(context, main, row, body.name);
      await updateBranch(db, row.page_id, { used_at: context.now(), warned_at: null });
      return readBranch(context, { ...row, name: body.name ?? row.name });
    }),
    handle(branchEndpoints.deleteBranch, async ({ params, actor }) => {
      const { row } = await requireBranch(context, params, actor, 'own');
      await branches.remove(row.page_id);
      return done('The branch and everything in it are deleted.');
    }),
    ...mergeRoutes(context),
    handle(branchEndpoints.readOutbox, async ({ params, actor }) => {
      const { row } = await requireBranch(context, params, actor, 'own');
      const mails = await listMails(db, row.page_id);
      return {
        mails: mails.map(({ at, recipients, subject, text, html }) => ({
          ...{ at: toTimestamp(at), to: JSON.parse(recipients) as string[], subject, text, html },
        })),
      };
    }),
  ];
}

function mergeRoutes(context: BranchRoutes): Route[] {
  return [
    handle(branchEndpoints.listBranchChanges, async ({ params, query, actor }) => {
      const { main, row } = await requireBranch(context, params, actor, 'own');
      await requireScopes(context, { main, row }, actor, 'read');
      return listChanges(context, row, query);
    }),
    handle(branchEndpoints.updateFromMain, async ({ params, body, actor }) => {
      const { main, row } = await requireBranch(context, params, actor, 'own');
      await requireScopes(context, { main, row }, actor, 'write');
      return updateFromMain(context, actor, row, body);
    }),
    handle(branchEndpoints.mergeBranch, async ({ params, body, actor }) => {
      const { main, row } = await requireBranch(context, params, actor, 'own');
      await requireScopes(context, { main, row }, actor, 'write');
      return mergeBranch(context, actor, row, body);
    }),
  ];
}

export async function requirePage(
  { db, directory }: BranchesContext,
  id: number,
  actor: Actor,
  action: 'read' | 'write' | 'own',
): Promise<PageRow> {
  return directory.require(db, await directory.find(db, String(id)), actor, action);
}

/** A branch of a page, for somebody who can do this with the page. */
export async function requireBranch(
  context: BranchesContext,
  { id, name }: { id: number; name: string },
  actor: Actor,
  action: 'read' | 'own',
): Promise<{ main: PageRow; row: BranchRow }> {
  const main = await requirePage(context, id, actor, action);
  const row = await findBranch(context.db, main.id, name);
  if (!row || row.expires_at !== null) throw unknownBranch(name);
  return { main, row };
}

async function readBranch(context: BranchesContext, { of_page_id, name }: BranchRow): Promise<Branch> {
  const row = await findBranch(context.db, of_page_id, name);
  const [branch] = row ? await describeBranches(context, [row]) : [];
  if (!branch) throw unknownBranch(name);
  return branch;
}

async function rename(
  { db, directory, parts }: BranchesContext,
  { id }: PageRow,
  row: BranchRow,
  name: NonNullable<PatchBranch['name']>,
): Promise<void> {
  const { pages } = parts();
  await db.transaction().execute(async (tx) => {
    const main = await directory.lock(tx, id);
    if (!main) throw notFound('This page was not found.');
    await assertFreeName(tx, main, name);
    const page = await pages.find(tx, row.page_id);
    if (!page) throw unknownBranch(row.name);
    await updateBranch(tx, row.page_id, { name });
    await pages.rename(tx, page, toBranchSlug(main, name));
  });
  pages.changed(row.page_id);
}

/** Changes of functions, their databases, schemas and records come along. Only one side may have functions. */
async function requireScopes(
  context: BranchRoutes,
  { main, row }: { main: PageRow; row: BranchRow },
  actor: Actor,
  right: 'read' | 'write',
): Promise<void> {
  await requireFunctionScope(context, [main.id, row.page_id], actor, right);
  const type = findStorageType(main.storage_mode);
  const scope = type && `${dashed(type)}:${right}`;
  if (scope !== undefined && !actor.scopes.includes(scope)) throw lacksScope(scope);
}

/** A branch has functions of its own, so making one deploys functions. */
async function requireFunctionScope(
  { db, parts }: BranchesContext,
  pageIds: readonly number[],
  actor: Actor,
  right: 'read' | 'write',
): Promise<void> {
  const scope = `functions:${right}`;
  if (actor.scopes.includes(scope)) return;
  for (const id of pageIds) if ((await parts().functions.list(db, id)).length > 0) throw lacksScope(scope);
}

const lacksScope = (scope: string) =>
  new AppError(
    'INSUFFICIENT_SCOPE',
    'This token lacks the scope {scope}, which this also needs. Ask for it when you get the token.',
    { scope },
    { body: { scope } },
  );

const unknownBranch = (name: string) => notFound('This page has no branch {name}.', { name });
