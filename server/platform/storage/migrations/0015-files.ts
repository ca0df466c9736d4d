import type { MigrationTools } from './tools.ts';

/**
 * The files of pages. Neither `page_blobs.hash` nor `page_versions.manifest_id` is a foreign key: deleting a page would
 * then search these large tables for every blob and manifest, and both exist as long as the page does.
 */
export async function up({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('file_blobs')
    .addColumn('hash', bytewise, (c) => c.primaryKey())
    .addColumn('key', 'text', (c) => c.notNull().unique())
    .addColumn('size', id.big, (c) => c.notNull())
    .addColumn('crc32', id.big, (c) => c.notNull())
    .addColumn('pages', id.big, (c) => c.notNull())
    .execute();
  await table('page_blobs')
    .addColumn('page_id', id.big, (c) => c.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('hash', bytewise, (c) => c.notNull())
    .addPrimaryKeyConstraint('page_blobs_key', ['page_id', 'hash'])
    .execute();
  await table('page_manifests')
    .addColumn('id', id.type, id.define)
    .addColumn('page_id', id.big, (c) => c.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('hash', bytewise, (c) => c.notNull())
    .addColumn('files', 'text', (c) => c.notNull())
    .addUniqueConstraint('page_manifests_by_hash', ['page_id', 'hash'])
    .execute();
  await db.schema.alterTable('page_versions').addColumn('manifest_id', id.big).execute();
}
