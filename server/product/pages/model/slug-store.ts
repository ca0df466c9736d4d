import { NO_TOPIC } from '../../../../contract/rules/pages/gallery-topics.ts';
import { slugStem } from '../../../../contract/rules/pages/page-slugs.ts';
import { AppError } from '../../../lib/errors.ts';
import type { PageRow, Tx } from '../../../platform/storage/index.ts';
import { countOldSlugs, deleteOldSlug, insertOldSlug, reservedFor } from './old-slug-store.ts';
import { findPageBySlug, listBranches } from './page-store.ts';

/** SQL for slugs: finding a free one for a new page, and moving a page to another. */

export type NewPage = Omit<
  PageRow,
  'id' | 'slug' | 'protected' | 'repair' | 'attack_first' | 'branch_of' | keyof typeof NEW
> & {
  protected?: number;
  repair?: number;
  attack_first?: number;
  /** The page that this one is a branch of. */
  branch_of?: number;
};

/** The columns of every new page. */
const NEW = {
  version: 1,
  views: 0,
  preview_image: null,
  domain: null,
  taken_down_at: null,
  taken_down_reason: null,
  owner_blocked_at: null,
  listed_at: null,
  unlisted_by_admin_at: null,
  unlisted_by_admin_reason: null,
  claim_hash: null,
  triggers: null,
  topic: NO_TOPIC,
} as const;

/** Adds a page under the first free slug: the wished one, or the same with `-2`, `-3`, … The unique index decides. */
export async function insertPage(tx: Tx, page: NewPage, wished: string | undefined): Promise<PageRow> {
  const values = { protected: 0, repair: 0, attack_first: 0, branch_of: null, ...page, ...NEW };
  if (wished === undefined) return insertUnderId(tx, values);
  // Inserting a slug that is taken would wait for a change of that page, which may be waiting for us.
  let slug = await freeSlug(tx, values, wished);
  for (;;) {
    const row = await tx
      .insertInto('pages')
      .values({ ...values, slug })
      .onConflict((conflict) => conflict.column('slug').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row && (await claimSlug(tx, row.owner_id, slug, values.created_at))) return row;
    // A page left this slug while we waited to insert it, so it is reserved now.
    if (row) await tx.deleteFrom('pages').where('id', '=', row.id).execute();
    slug = await nextFreeSlug(tx, values, wished);
  }
}

/** Whose page it is, and when it is made. */
type Claim = Pick<PageRow, 'owner_id' | 'created_at'>;

async function isTaken(tx: Tx, { owner_id, created_at }: Claim, slug: string): Promise<boolean> {
  if (await findPageBySlug(tx, slug)) return true;
  const owner = await reservedFor(tx, slug, created_at);
  return owner !== undefined && owner !== owner_id;
}

async function freeSlug(tx: Tx, claim: Claim, wished: string): Promise<string> {
  return (await isTaken(tx, claim, wished)) ? nextFreeSlug(tx, claim, wished) : wished;
}

/** A page whose name yields no slug is called after its id, which is known only once the row is there. */
async function insertUnderId(tx: Tx, values: Omit<PageRow, 'id' | 'slug'>): Promise<PageRow> {
  const temporary = `new ${Bun.randomUUIDv7()}`;
  const { id } = await tx
    .insertInto('pages')
    .values({ ...values, slug: temporary })
    .returning('id')
    .executeTakeFirstOrThrow();
  const slug = await freeSlug(tx, values, `page-${id}`);
  await claimSlug(tx, values.owner_id, slug, values.created_at);
  return tx.updateTable('pages').set({ slug }).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

async function nextFreeSlug(tx: Tx, claim: Claim, wished: string): Promise<string> {
  const stem = slugStem(wished);
  // Doubling, then halving: a name that a million pages have takes some forty lookups.
  let free = 2;
  while (await isTaken(tx, claim, stem + free)) free *= 2;
  let taken = free / 2;
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (await isTaken(tx, claim, stem + middle)) taken = middle;
    else free = middle;
  }
  return stem + free;
}

/** Addresses that redirect to one page. Without a limit, renaming it again and again would fill the table. */
const MAX_OLD_SLUGS = 200;

/**
 * Moves a page to another slug, and its branches with it. The slugs that they leave redirect to them from now on. Returns the
 * branches that have moved.
 */
export async function moveSlug(
  tx: Tx,
  page: Pick<PageRow, 'id' | 'slug' | 'owner_id'>,
  to: string,
  now: number,
): Promise<number[]> {
  // Update first, because this waits for a page that is leaving the slug, which is then reserved.
  await tx.updateTable('pages').set({ slug: to }).where('id', '=', page.id).execute();
  if (!(await claimSlug(tx, page.owner_id, to, now))) throw slugTaken(to);
  if ((await countOldSlugs(tx, page.id)) >= MAX_OLD_SLUGS) {
    throw new AppError(
      'QUOTA_EXCEEDED',
      '{count} earlier addresses redirect to this page, which is the limit. Give one up with DELETE /api/pages/{id}/slugs/<slug>, or go back to one of them.',
      { count: MAX_OLD_SLUGS, id: String(page.id) },
    );
  }
  await insertOldSlug(tx, page.id, page.slug, now);
  const branches = await listBranches(tx, page.id);
  // Only the slugs of branches have two hyphens.
  for (const branch of branches)
    await moveSlug(tx, branch, to + branch.slug.slice(branch.slug.indexOf('--')), now);
  return branches.map(({ id }) => id);
}

/** Takes over a slug that its owner left before, or that has expired. False if it is reserved for somebody else. */
async function claimSlug(tx: Tx, ownerId: number, slug: string, now: number): Promise<boolean> {
  const owner = await reservedFor(tx, slug, now);
  if (owner !== undefined && owner !== ownerId) return false;
  await deleteOldSlug(tx, slug);
  return true;
}

export function slugTaken(slug: string): AppError {
  return new AppError('SLUG_TAKEN', 'The slug {slug} is taken by another page. Choose another.', { slug });
}
