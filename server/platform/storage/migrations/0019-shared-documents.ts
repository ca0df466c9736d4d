import type { MigrationTools } from './tools.ts';

/** A version that changes only files has the document of an earlier one, and need not store it again. */
export async function up({ db }: MigrationTools): Promise<void> {
  await db.schema.alterTable('page_versions').addColumn('html_version', 'integer').execute();
}
