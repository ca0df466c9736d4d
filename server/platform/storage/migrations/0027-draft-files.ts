import type { MigrationTools } from './tools.ts';

/**
 * Marks files that only drafts of a page use. Those of versions stay as long as the page does, these are deleted with
 * the last draft that has them.
 */
export async function up({ db }: MigrationTools): Promise<void> {
  for (const name of ['page_blobs', 'page_manifests']) {
    await db.schema.alterTable(name).addColumn('only_in_drafts', 'integer').execute();
    // Few are.
    await db.schema
      .createIndex(`${name}_of_drafts`)
      .on(name)
      .columns(['page_id', 'only_in_drafts'])
      .where('only_in_drafts', 'is not', null)
      .execute();
  }
}
