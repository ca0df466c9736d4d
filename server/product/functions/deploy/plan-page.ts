import { fault } from '../../../../contract/errors.ts';
import type { CreateFunction } from '../../../../contract/functions/functions.ts';
import { MAX_PAGE_FUNCTIONS } from '../../../../contract/rules/limits.ts';
import { AppError, badRequest, notFound } from '../../../lib/errors.ts';
import { isThrowawaySlug } from '../../../lib/throwaway-names.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { PageRow, Tx } from '../../../platform/storage/index.ts';
import { listOfPage } from '../model/page-store.ts';
import { findFunction } from '../model/store.ts';
import { assertTriggers } from '../triggers/change.ts';
import type { DeployContext } from './context.ts';

const SCOPE = 'pages:write';

/** Where a new function belongs. */
interface PlannedPage {
  pageId: number | null;
  /** Locks the page, and returns the columns that make the function belong to it. */
  join(tx: Tx): Promise<{ page_id?: number; branch_slug?: string }>;
}

/** Checks the page that a new function shall belong to. */
export async function planPage(
  context: DeployContext,
  actor: Actor,
  body: Pick<CreateFunction, 'pageId' | 'slug' | 'useDatabase' | 'on'>,
): Promise<PlannedPage> {
  const { db, pages, moments } = context;
  const { pageId, slug, useDatabase, on = [] } = body;
  if (pageId === undefined) return { pageId: null, join: async () => ({}) };
  if (!actor.scopes.includes(SCOPE)) throw lacksScope();
  const page = await pages.require(db, await pages.find(db, String(pageId)), actor, 'own');
  moments.assertNotRestoring(page.id);
  await assertTriggers(context, db, page.id, on);
  if (page.branch_of !== null) await assertOwnParts(context, page, { slug, useDatabase });
  return {
    pageId: page.id,
    async join(tx) {
      if (!(await pages.lock(tx, page.id))) throw notFound('This page was not found.');
      if ((await listOfPage(tx, page)).length >= MAX_PAGE_FUNCTIONS)
        throw new AppError(
          'CONFLICT',
          'This page has {count} functions, which is the limit. Remove one first.',
          {
            count: MAX_PAGE_FUNCTIONS,
          },
        );
      return { page_id: page.id, ...(page.branch_of !== null && { branch_slug: slug }) };
    },
  };
}

/** What a branch uses is deleted with it, and nobody else can reach it. */
async function assertOwnParts(
  { db }: DeployContext,
  { id }: PageRow,
  { slug, useDatabase }: Pick<CreateFunction, 'slug' | 'useDatabase'>,
): Promise<void> {
  if (isThrowawaySlug(slug))
    throw badRequest([fault('slug', 'is a name that the service uses itself. Choose another')]);
  const shared = useDatabase === undefined ? undefined : await findFunction(db, useDatabase);
  if (useDatabase !== undefined && shared?.page_id !== id)
    throw badRequest([
      fault('useDatabase', 'must be the slug of a function of this branch that has a database'),
    ]);
}

const lacksScope = () =>
  new AppError(
    'INSUFFICIENT_SCOPE',
    'This token lacks the scope {scope}, which this also needs. Ask for it when you get the token.',
    { scope: SCOPE },
    { body: { scope: SCOPE } },
  );
