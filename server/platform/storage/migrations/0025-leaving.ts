import type { MigrationTools } from './tools.ts';

/** Indexes that find everything of one user, so that they can take it with them and delete it. */
export async function up({ db }: MigrationTools): Promise<void> {
  const index = (name: string, table: string, columns: string[]) =>
    db.schema.createIndex(name).on(table).columns(columns).execute();
  // In place of the index by collection and creator, which has the same columns in another order: every query names
  // both, and creating a record should not cost more. Nodes of the previous version use this one as well.
  await index('records_by_author', 'records', ['created_by', 'collection_id', 'id']);
  await db.schema.dropIndex('records_by_creator').execute();
  await index('team_files_by_uploader', 'team_files', ['uploaded_by', 'page_id', 'id']);
  await index('team_members_by_user', 'team_members', ['user_id', 'page_id']);
  await index('images_by_owner', 'images', ['owner_id', 'id']);
  await index('page_versions_by_author', 'page_versions', ['author_id']);
  await index('function_databases_by_owner', 'function_databases', ['owner_id']);
  await index('credit_reservations_by_user', 'credit_reservations', ['user_id']);
}
