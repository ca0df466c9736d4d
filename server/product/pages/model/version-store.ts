import { sql } from 'kysely';
import { notFound } from '../../../lib/errors.ts';
import type { Db, PageRow, Tx } from '../../../platform/storage/index.ts';

/** SQL for the versions of pages. */

export async function insertVersion(
  tx: Tx,
  version: {
    pageId: number;
    version: number;
    html: string;
    size: number;
    authorId: number;
    now: number;
    manifestId: number | null;
    note?: string | null;
  },
): Promise<void> {
  await tx
    .insertInto('page_versions')
    .values({
      page_id: version.pageId,
      version: version.version,
      html_content: version.html,
      size: version.size,
      content_hash: hashHtml(version.html),
      author_id: version.authorId,
      created_at: version.now,
      manifest_id: version.manifestId,
      note: version.note ?? null,
    })
    .execute();
}

/** What a version without a document of its own is charged: the row takes space too. */
export const SHARED_VERSION_BYTES = 200;

/** Adds a version with the document of the version before, which is not stored again. */
export async function shareVersion(
  tx: Tx,
  version: {
    pageId: number;
    version: number;
    authorId: number;
    now: number;
    manifestId: number | null;
    note: string | null;
  },
): Promise<void> {
  const [own, before] = [version.version, version.version - 1];
  await tx
    .insertInto('page_versions')
    .columns([
      ...(['page_id', 'size', 'content_hash', 'html_version', 'version'] as const),
      ...(['html_content', 'author_id', 'created_at', 'manifest_id', 'note'] as const),
    ])
    .expression((eb) =>
      eb
        .selectFrom('page_versions')
        .select(['page_id', 'size', 'content_hash'])
        .select((old) => [
          old.fn.coalesce('html_version', 'version').as('html_version'),
          old.lit(own).as('version'),
          sql.lit('').as('html_content'),
          old.lit(version.authorId).as('author_id'),
          old.lit(version.now).as('created_at'),
          old.lit(version.manifestId).as('manifest_id'),
          sql<string | null>`cast(${version.note} as text)`.as('note'),
        ])
        .where('page_id', '=', version.pageId)
        .where('version', '=', before),
    )
    .execute();
}

export function hashHtml(html: string): string {
  return new Bun.CryptoHasher('sha256').update(html).digest('base64url');
}

/** The document of a row of `page_versions`: its own, or that of the version which it shares it with. */
export const htmlOfVersion = sql<string>`case when page_versions.html_version is null
  then page_versions.html_content
  else (select html_content from page_versions as shared
    where shared.page_id = page_versions.page_id and shared.version = page_versions.html_version) end`;

export async function findVersion(db: Db, pageId: number, version: number) {
  return versions(db, pageId)
    .select(['page_versions.content_hash', 'page_versions.manifest_id'])
    .select(htmlOfVersion.as('html_content'))
    .where('version', '=', version)
    .executeTakeFirst();
}

export type VersionRow = Awaited<ReturnType<typeof listVersions>>[number];

/** The last versions, or the last before one of them, newest first. */
export function listVersions(db: Db, pageId: number, before: number | undefined, limit: number) {
  return versions(db, pageId)
    .$if(before !== undefined, (query) => query.where('version', '<', before ?? 0))
    .orderBy('version', 'desc')
    .limit(limit)
    .execute();
}

function versions(db: Db, pageId: number) {
  return db
    .selectFrom('page_versions')
    .leftJoin('users', 'users.id', 'page_versions.author_id')
    .select([
      'page_versions.version',
      'page_versions.size',
      'page_versions.created_at',
      'page_versions.note',
      'users.username as author',
    ])
    .where('page_id', '=', pageId);
}

/** The username of who published a version. */
export async function findAuthor(db: Db, pageId: number, version: number): Promise<string | null> {
  return (await versions(db, pageId).where('version', '=', version).executeTakeFirst())?.author ?? null;
}

export function findNote(db: Db, pageId: number, version: number) {
  return db
    .selectFrom('page_versions')
    .select('note')
    .where('page_id', '=', pageId)
    .where('version', '=', version)
    .executeTakeFirst();
}

export async function updateNote(
  tx: Tx,
  pageId: number,
  version: number,
  note: string | null,
): Promise<void> {
  await tx
    .updateTable('page_versions')
    .set({ note })
    .where('page_id', '=', pageId)
    .where('version', '=', version)
    .execute();
}

/** Makes somebody the author of all versions of a page. */
export async function setAuthor(tx: Tx, pageId: number, authorId: number): Promise<void> {
  await tx.updateTable('page_versions').set({ author_id: authorId }).where('page_id', '=', pageId).execute();
}

/** The content of the current version of a page. */
export async function currentState(
  db: Db,
  page: PageRow,
): Promise<{ content_hash: string; manifest_id: number | null; size: number }> {
  const state = await db
    .selectFrom('page_versions')
    .select(['content_hash', 'manifest_id', 'size'])
    .where('page_id', '=', page.id)
    .where('version', '=', page.version)
    .executeTakeFirst();
  // The page was deleted after it was read.
  if (!state) throw notFound('This page was not found.');
  return state;
}

/** Sets the files of the version that is current. Only for a page that nobody knows yet. */
export async function setManifest(tx: Tx, page: PageRow, manifestId: number): Promise<void> {
  await tx
    .updateTable('page_versions')
    .set({ manifest_id: manifestId })
    .where('page_id', '=', page.id)
    .where('version', '=', page.version)
    .execute();
}
