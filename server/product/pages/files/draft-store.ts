import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { Manifest } from './manifest.ts';
import { splitChunks } from './store.ts';

/** SQL for files that only drafts have. */

/** Records that a version has this manifest and its files, which stay as long as the page does. */
export async function keepWithVersion(
  tx: Tx,
  pageId: number,
  manifestId: number,
  files: Manifest,
): Promise<void> {
  await tx
    .updateTable('page_manifests')
    .set({ only_in_drafts: null })
    .where('id', '=', manifestId)
    .where('only_in_drafts', 'is not', null)
    .execute();
  const hashes = [...new Set([...files.values()].map(({ hash }) => hash))];
  for (const some of splitChunks(hashes))
    await tx
      .updateTable('page_blobs')
      .set({ only_in_drafts: null })
      .where('page_id', '=', pageId)
      .where('only_in_drafts', 'is not', null)
      .where('hash', 'in', some)
      .execute();
}

/** The manifests of a page that only drafts have, or had. */
export async function draftManifests(db: Db, pageId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('page_manifests')
    .select('id')
    .where('page_id', '=', pageId)
    .where('only_in_drafts', 'is not', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Bytes of a page that only drafts use, or used, with their sizes. */
export async function draftBlobs(db: Db, pageId: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('page_blobs')
    .innerJoin('file_blobs', 'file_blobs.hash', 'page_blobs.hash')
    .select(['page_blobs.hash', 'size'])
    .where('page_id', '=', pageId)
    .where('only_in_drafts', 'is not', null)
    .execute();
  return new Map(rows.map(({ hash, size }) => [hash, size]));
}

/** Deletes a manifest and returns its size. */
export async function deleteManifest(tx: Tx, id: number): Promise<number> {
  const row = await tx
    .deleteFrom('page_manifests')
    .where('id', '=', id)
    .returning(sql<number>`octet_length(files)`.as('bytes'))
    .executeTakeFirst();
  return Number(row?.bytes ?? 0);
}
