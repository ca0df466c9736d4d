import { fault } from '../../../../contract/errors.ts';
import { MAX_PAGE_FUNCTIONS } from '../../../../contract/rules/limits.ts';
import { AppError, badRequest } from '../../../lib/errors.ts';
import { isThrowawaySlug } from '../../../lib/throwaway-names.ts';
import type { Actor } from '../../../platform/http/index.ts';
import { afterCommit, type Db, type PageRow, type Tx } from '../../../platform/storage/index.ts';
import type { PageDirectory, PageFunctions } from '../../ports.ts';
import { type KeepContext, leaveWithMoments } from './leave-page.ts';
import { joinPage, listNamed, listOfPage, type OwnedPage } from './page-store.ts';
import { noteTriggered } from './triggered.ts';

/** The slugs of the functions of a page. */
export async function listFunctionsOfPage(db: Db, page: OwnedPage): Promise<string[]> {
  return (await listOfPage(db, page)).map(({ slug }) => slug);
}

interface PageFunctionsOptions extends KeepContext {
  pages: Pick<PageDirectory, 'describe' | 'noteTriggers'>;
  /** Called when a function belongs to another page than before. */
  changed(functionId: number): void;
}

/**
 * The functions that belong to pages. Admins of a team name only public functions of the page's owner, so that they do
 * not learn which others there are.
 */
export function createPageFunctions({ pages, changed, ...keeping }: PageFunctionsOptions): PageFunctions {
  const announce = (tx: Tx, ids: readonly number[]) => afterCommit(tx, () => ids.forEach(changed));

  /** The functions that an actor can make belong to a page. */
  async function listAllowed(db: Db, page: PageRow, actor: Actor, slugs: readonly string[]) {
    if (slugs.length === 0) return [];
    const named = await listNamed(db, page.owner_id, slugs);
    const isOwner = actor.userId === page.owner_id;
    return named.filter((row) => mayJoin(row, page.id, isOwner));
  }

  async function assertFree(tx: Tx, page: PageRow, actor: Actor, slug: string, pageId: number) {
    if (pageId === page.id) return;
    const other = (await pages.describe(tx, [pageId], actor)).get(pageId);
    throw new AppError(
      'CONFLICT',
      'The function {slug} belongs to the page {page}. A function belongs to one page: remove it from the functions of page {id} first.',
      { slug, page: JSON.stringify(other?.name ?? ''), id: String(pageId) },
    );
  }

  return {
    list: listFunctionsOfPage,
    async replace(tx, page, actor, slugs) {
      const allowed = await listAllowed(tx, page, actor, slugs);
      const known = new Set(allowed.map(({ slug }) => slug));
      const faults = slugs.flatMap((slug, at) => (known.has(slug) ? [] : [unknown(slug, at)]));
      if (faults.length > 0) throw badRequest(faults);
      for (const { slug, page_id, branch_slug } of allowed) {
        if (page_id !== null) await assertFree(tx, page, actor, slug, page_id);
        else if (page.branch_of !== null && branch_slug === null) throw servesOthers(page, slug);
      }
      const before = await listOfPage(tx, page);
      const gone = before.filter(({ slug }) => !known.has(slug));
      const fresh = allowed.filter(({ page_id }) => page_id === null).map(({ id }) => id);
      await leaveWithMoments(keeping, tx, page.id, gone);
      if (fresh.length > 0) await join(pages, tx, page, fresh);
      await announce(tx, [...gone.map(({ id }) => id), ...fresh]);
    },
    async addFree(tx, page, actor, slugs) {
      // What belongs to no page may serve others. A branch has copies only.
      if (page.branch_of !== null) return;
      const remaining = MAX_PAGE_FUNCTIONS - (await listOfPage(tx, page)).length;
      const allowed = await listAllowed(tx, page, actor, slugs);
      const free = allowed.filter(({ page_id }) => page_id === null).slice(0, remaining);
      if (free.length === 0) return;
      await announce(
        tx,
        await join(
          pages,
          tx,
          page,
          free.map(({ id }) => id),
        ),
      );
    },
  };
}

/** A copy for some minutes is deleted with all that was made for it, so that joins no other page. */
const mayJoin = (
  { page_id, is_public, slug }: Awaited<ReturnType<typeof listNamed>>[number],
  pageId: number,
  isOwner: boolean,
) => page_id === pageId || ((isOwner || is_public === 1) && !isThrowawaySlug(slug));

async function join(
  pages: Pick<PageDirectory, 'noteTriggers'>,
  tx: Tx,
  page: PageRow,
  ids: readonly number[],
): Promise<number[]> {
  const joined = await joinPage(tx, page, ids);
  await noteTriggered(pages, tx, page.id);
  return joined;
}

/** A branch is deleted with its functions, and only who sees the branch can call them. */
const servesOthers = ({ id }: PageRow, slug: string) =>
  new AppError(
    'CONFLICT',
    'The function {slug} was not made for this branch and may serve others, so it cannot join the branch. Deploy its code as a new function of the branch: POST /api/functions with "pageId": {id}.',
    { slug, id: String(id) },
  );

/** The error is the same for functions that are someone else's or missing: nobody learns which slugs exist. */
const unknown = (slug: string, at: number) =>
  fault(`functions.${at}`, "{slug} is not a function of the page's owner. Deploy it first", {
    slug: JSON.stringify(slug),
  });
