import { sql } from 'kysely';
import { type Sizes, toSizes } from '../../../lib/sizes.ts';
import { countRows, type Db, type Tx } from '../../../platform/storage/index.ts';

/** SQL for the drafts of pages. */

interface DraftState {
  base_version: number;
  html_content: string;
  size: number;
  content_hash: string;
  manifest_id: number | null;
  note: string;
  revision: number;
  author_id: number;
  updated_at: number;
}

export async function insertDraft(
  tx: Tx,
  draft: DraftState & { page_id: number; created_at: number },
): Promise<number> {
  const { id } = await tx.insertInto('page_drafts').values(draft).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function updateDraft(tx: Tx, id: number, changes: Partial<DraftState>): Promise<void> {
  await tx.updateTable('page_drafts').set(changes).where('id', '=', id).execute();
}

export async function deleteDraft(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('page_drafts').where('id', '=', id).execute();
}

const drafts = (db: Db, pageId: number) =>
  db
    .selectFrom('page_drafts')
    .leftJoin('users', 'users.id', 'page_drafts.author_id')
    .select(['page_drafts.id', 'page_drafts.page_id', 'base_version', 'size', 'content_hash', 'manifest_id'])
    .select(['note', 'revision', 'page_drafts.created_at', 'updated_at', 'users.username as author'])
    .where('page_id', '=', pageId);

export type DraftRow = Awaited<ReturnType<typeof listDrafts>>[number];

/** The drafts of a page without their documents, last saved first. A page has few. */
export function listDrafts(db: Db, pageId: number) {
  return drafts(db, pageId).orderBy('updated_at', 'desc').orderBy('page_drafts.id', 'desc').execute();
}

export function findDraft(db: Db, pageId: number, id: number): Promise<DraftRow | undefined> {
  return drafts(db, pageId).where('page_drafts.id', '=', id).executeTakeFirst();
}

/** A draft with its document. */
export function findDraftDocument(db: Db, pageId: number, id: number) {
  return drafts(db, pageId).select('html_content').where('page_drafts.id', '=', id).executeTakeFirst();
}

export function countDrafts(db: Db, pageId: number): Promise<number> {
  return countRows(db.selectFrom('page_drafts').where('page_id', '=', pageId));
}

/** The bytes of the drafts of pages, without their files. */
export async function measureDrafts(db: Db, pageIds: number[]): Promise<Sizes> {
  const query = db
    .selectFrom('page_drafts')
    .select(['page_id as id', sql<number>`sum(size + octet_length(note))`.as('bytes')]);
  return toSizes(await query.where('page_id', 'in', pageIds).groupBy('page_id').execute());
}

/** The bytes of one draft, without its files. */
export const sizeOfDraft = ({ size, note }: Pick<DraftRow, 'size' | 'note'>) =>
  size + Buffer.byteLength(note);
