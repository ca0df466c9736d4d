import type { GrantableRole } from '../../../contract/roles.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import type { ChecksContext } from './context.ts';

/**
 * Invented people who visit a page during a check. The scripts of the page act as them, so they are never real: the owner
 * of a page could otherwise read what its members keep for themselves. What they store is removed with them.
 */

/** How old a stand-in is that a crash has left behind: older than a check can take. */
export const LEFT_BEHIND_MS = 5 * 60_000;
/** How often removing is repeated: a request of theirs may still be under way. */
const TRIES = 5;

type Needs = Pick<ChecksContext, 'db' | 'now' | 'pages' | 'people'>;

/** Makes somebody who visits the page, with a role on its team if one is given. Returns their id. */
export async function makeStandIn(
  { db, now, people }: Needs,
  page: PageRow,
  { name, role }: { name: string; role?: GrantableRole | undefined },
): Promise<number> {
  const userId = await db.transaction().execute(async (tx) => {
    const id = await people.insert(tx, { name, pageId: page.id, now: now() });
    if (role) await people.join(tx, { pageId: page.id, userId: id, role, now: now() });
    return id;
  });
  if (role) people.accessChanged(page.id);
  return userId;
}

/** Removes a stand-in with everything that they have stored. Every part can be repeated. */
export async function removeStandIn(
  { db, now, pages, people }: Needs,
  { userId, pageId }: { userId: number; pageId: number },
): Promise<void> {
  await people.block(db, userId, now());
  for (let tries = 1; tries <= TRIES; tries++) {
    const page = await pages.find(db, String(pageId));
    if (page) await people.removeStored(userId, page);
    const isGone = await db.transaction().execute(async (tx) => {
      if (await people.hasStored(tx, userId)) return false;
      await people.remove(tx, userId);
      return true;
    });
    if (isGone) break;
  }
  people.accessChanged(pageId);
}

/** Removes the stand-ins that a crash has left behind. One that cannot be removed does not keep the others. */
export async function purgeStandIns(context: Needs): Promise<void> {
  const left = await context.people.list(context.db, context.now() - LEFT_BEHIND_MS);
  const failures: unknown[] = [];
  for (const each of left) await removeStandIn(context, each).catch((error) => failures.push(error));
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${left.length} stand-ins could not be removed`);
}
