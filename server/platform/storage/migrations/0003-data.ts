import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/** Collections of records, teams and their files. */
export async function up({ db, table, id, bytewise, json, isSqlite }: MigrationTools): Promise<void> {
  const ofPage = (c: ColumnDefinitionBuilder) => c.notNull().references('pages.id').onDelete('cascade');
  const ofUser = (c: ColumnDefinitionBuilder) => c.notNull().references('users.id').onDelete('cascade');
  const ofCollection = (c: ColumnDefinitionBuilder) =>
    c.notNull().references('collections.id').onDelete('cascade');

  await table('collections')
    .addColumn('id', id.type, id.define)
    .addColumn('page_id', 'integer', ofPage)
    .addColumn('storage_type', 'text', (c) =>
      c.notNull().check(sql`storage_type in ('solo_data', 'team_data', 'social_data')`),
    )
    .addColumn('name', bytewise, (c) => c.notNull())
    .addColumn('schema', 'text')
    .addUniqueConstraint('collections_by_name', ['page_id', 'storage_type', 'name'])
    .execute();

  // Lists by age use the primary key: ids begin with their creation time.
  await table('records')
    .addColumn('collection_id', 'integer', ofCollection)
    .addColumn('id', bytewise, (c) => c.notNull())
    .addColumn('data', json, (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('created_by', 'integer', ofUser)
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('updated_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('records_key', ['collection_id', 'id'])
    .execute();
  await db.schema
    .createIndex('records_by_creator')
    .on('records')
    .columns(['collection_id', 'created_by', 'id'])
    .execute();
  await db.schema
    .createIndex('records_by_change')
    .on('records')
    .columns(['collection_id', 'updated_at', 'id'])
    .execute();
  if (!isSqlite)
    await sql`create index records_by_data on records using gin (data jsonb_path_ops)`.execute(db);

  await table('record_counts')
    .addColumn('collection_id', 'integer', ofCollection)
    .addColumn('user_id', 'integer', (c) => c.notNull())
    .addColumn('records', 'integer', (c) => c.notNull().check(sql`records >= 0`))
    .addColumn('bytes', id.big, (c) => c.notNull().check(sql`bytes >= 0`))
    .addColumn('updated_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('record_counts_key', ['collection_id', 'user_id'])
    .execute();

  await table('team_members')
    .addColumn('page_id', 'integer', ofPage)
    .addColumn('user_id', 'integer', ofUser)
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('admin', 'member', 'viewer')`))
    .addColumn('joined_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('team_members_key', ['page_id', 'user_id'])
    .execute();

  await table('team_invites')
    .addColumn('code_hash', 'text', (c) => c.primaryKey())
    .addColumn('page_id', 'integer', ofPage)
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('admin', 'member', 'viewer')`))
    .addColumn('uses', 'integer', (c) => c.notNull())
    .addColumn('max_uses', 'integer')
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .addCheckConstraint('team_invites_uses', sql`max_uses is null or uses <= max_uses`)
    .execute();
  await db.schema.createIndex('team_invites_by_page').on('team_invites').column('page_id').execute();

  await table('team_files')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('page_id', 'integer', ofPage)
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('content_type', 'text', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('uploaded_by', 'integer', ofUser)
    .addColumn('created_at', id.big, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('team_files_by_page').on('team_files').columns(['page_id', 'id']).execute();

  await table('blob_trash')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('delete_after', id.big, (c) => c.notNull())
    .execute();
}
