import { sql } from 'kysely';
import { addSizes, type Sizes, sizeAt, toSizes } from '../../../lib/sizes.ts';
import { type Db, firstRow, statement, type Tx } from '../../../platform/storage/index.ts';
import { type Manifest, parseManifest } from './manifest.ts';

/** SQL for the files of pages. */

/** Rows in one statement, far below the limit of any engine. */
const CHUNK = 500;

const manifestById = statement((db, id: number) =>
  db.selectFrom('page_manifests').select('files').where('id', '=', id),
);

/** The files of a version. No id means that it has none. */
export async function readManifest(db: Db, id: number | null): Promise<Manifest> {
  const row = id === null ? undefined : await firstRow(manifestById(db, id));
  return parseManifest(row?.files ?? '{}');
}

/**
 * The id of the manifest of a page with this hash, and the bytes that storing it took: none if it was there. It is for a
 * draft, or for a version, where it stays.
 */
export async function putManifest(
  tx: Tx,
  pageId: number,
  { hash, files }: { hash: string; files: string },
  { isForDraft = false } = {},
): Promise<{ id: number; bytes: number }> {
  const added = await tx
    .insertInto('page_manifests')
    .values({ page_id: pageId, hash, files, only_in_drafts: isForDraft ? 1 : null })
    .onConflict((conflict) => conflict.columns(['page_id', 'hash']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (added) return { id: added.id, bytes: Buffer.byteLength(files) };
  const { id } = await tx
    .selectFrom('page_manifests')
    .select('id')
    .where('page_id', '=', pageId)
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow();
  return { id, bytes: 0 };
}

const keyByHash = statement((db, hash: string) =>
  db.selectFrom('file_blobs').select('key').where('hash', '=', hash),
);

/** Finds the key of the bytes with this hash. */
export async function findKey(db: Db, hash: string): Promise<string | undefined> {
  return (await firstRow(keyByHash(db, hash)))?.key;
}

/** Finds the hashes that some version or draft of the page uses, with information about their bytes. */
export async function findBlobs(
  db: Db,
  pageId: number,
  hashes: string[],
  /** True to leave out hashes that only drafts use. */
  { isInVersion = false } = {},
): Promise<Map<string, { key: string; size: number; crc32: number }>> {
  const found = new Map<string, { key: string; size: number; crc32: number }>();
  for (const some of splitChunks(hashes)) {
    const rows = await db
      .selectFrom('page_blobs')
      .innerJoin('file_blobs', 'file_blobs.hash', 'page_blobs.hash')
      .select(['file_blobs.hash', 'key', 'size', 'crc32'])
      .where('page_id', '=', pageId)
      .where('page_blobs.hash', 'in', some)
      .$if(isInVersion, (query) => query.where('only_in_drafts', 'is', null))
      .execute();
    for (const { hash, ...blob } of rows) found.set(hash, blob);
  }
  return found;
}

/** Notes that a page uses these bytes. Returns those hashes that it did not use before. */
export async function addPageBlobs(
  tx: Tx,
  pageId: number,
  hashes: string[],
  { isForDraft = false } = {},
): Promise<string[]> {
  const added: string[] = [];
  for (const some of splitChunks(hashes)) {
    const rows = await tx
      .insertInto('page_blobs')
      .values(some.map((hash) => ({ page_id: pageId, hash, only_in_drafts: isForDraft ? 1 : null })))
      .onConflict((conflict) => conflict.columns(['page_id', 'hash']).doNothing())
      .returning('hash')
      .execute();
    added.push(...rows.map(({ hash }) => hash));
  }
  return added;
}

interface NewBlob {
  hash: string;
  key: string;
  size: number;
  crc32: number;
}

/**
 * Counts one more page for these bytes, and adds those that are new. Returns the keys that were taken: for the others,
 * the same bytes were there before, under another key. Sorted, so that two transactions lock rows in the same order.
 */
export async function addBlobs(tx: Tx, blobs: NewBlob[]): Promise<string[]> {
  const given = new Set(blobs.map(({ key }) => key));
  const rows = await countPages(tx, blobs, 1);
  return rows.flatMap(({ key }) => (given.has(key) ? [key] : []));
}

/** Counts one more page for bytes that are there. False if some are not, because their last page was just deleted. */
export async function shareBlobs(tx: Tx, hashes: string[]): Promise<boolean> {
  const rows = await countPages(tx, hashes.map(missing), 1);
  return rows.every(({ key }) => !key.startsWith(MISSING));
}

/** Deletes what a page used from the tables, before the page. Returns the keys of bytes that no page uses now. */
export async function dropBlobs(tx: Tx, pageId: number): Promise<string[]> {
  const used = await tx.deleteFrom('page_blobs').where('page_id', '=', pageId).returning('hash').execute();
  return releaseBlobs(
    tx,
    used.map(({ hash }) => hash),
  );
}

/** Deletes some bytes of a page that stays from the tables. Returns the keys of bytes that no page uses now. */
export async function dropSomeBlobs(tx: Tx, pageId: number, hashes: string[]): Promise<string[]> {
  for (const some of splitChunks(hashes))
    await tx.deleteFrom('page_blobs').where('page_id', '=', pageId).where('hash', 'in', some).execute();
  return releaseBlobs(tx, hashes);
}

async function releaseBlobs(tx: Tx, hashes: string[]): Promise<string[]> {
  await countPages(tx, hashes.map(missing), -1);
  const keys: string[] = [];
  for (const some of splitChunks(hashes)) {
    const rows = await tx
      .deleteFrom('file_blobs')
      .where('hash', 'in', some)
      .where('pages', '<=', 0)
      .returning('key')
      .execute();
    keys.push(...rows.map(({ key }) => key));
  }
  return keys.filter((key) => !key.startsWith(MISSING));
}

/** The key of a row that must exist already. No blob has such a key. */
const MISSING = 'missing ';
const missing = (hash: string): NewBlob => ({ hash, key: MISSING + hash, size: 0, crc32: 0 });

/** Updates rows one by one: an update with a list locks rows in any order, and two of them could deadlock. */
async function countPages(tx: Tx, blobs: NewBlob[], by: 1 | -1): Promise<Array<{ key: string }>> {
  const sorted = blobs.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  const rows: Array<{ key: string }> = [];
  for (const some of splitChunks(sorted)) {
    const counted = await tx
      .insertInto('file_blobs')
      .values(some.map((blob) => ({ ...blob, pages: Math.max(by, 0) })))
      .onConflict((conflict) =>
        conflict.column('hash').doUpdateSet({ pages: sql`file_blobs.pages + ${sql.lit(by)}` }),
      )
      .returning('key')
      .execute();
    rows.push(...counted);
  }
  return rows;
}

/** The bytes that a page is charged for its files, and for lists of them. */
export const storedFileBytes = async (db: Db, pageId: number): Promise<number> =>
  sizeAt(await measureFiles(db, [pageId]), pageId);

/** The bytes that pages are charged for their files, and for lists of them. */
export async function measureFiles(db: Db, pageIds: number[]): Promise<Sizes> {
  const blobs = await db
    .selectFrom('page_blobs')
    .innerJoin('file_blobs', 'file_blobs.hash', 'page_blobs.hash')
    .select((eb) => ['page_id as id', eb.fn.sum<number | string>('size').as('bytes')])
    .where('page_id', 'in', pageIds)
    .groupBy('page_id')
    .execute();
  const manifests = await db
    .selectFrom('page_manifests')
    .select(['page_id as id', sql<number>`sum(octet_length(files))`.as('bytes')])
    .where('page_id', 'in', pageIds)
    .groupBy('page_id')
    .execute();
  return addSizes(toSizes(blobs), toSizes(manifests));
}

export function* splitChunks<Item>(items: Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += CHUNK) yield items.slice(at, at + CHUNK);
}
