import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { MigrationTools } from '../tools.ts';
import { ofPage, ofUser, truth } from './columns.ts';

/** What visitors store: records, teams with their files, messages of forms. */
export async function createData(tools: MigrationTools): Promise<void> {
  await createRecords(tools);
  await createTeams(tools);
  await createForms(tools);
}

async function createRecords(tools: MigrationTools): Promise<void> {
  const { db, table, id, bytewise, json, isSqlite } = tools;
  const ofCollection = (c: ColumnDefinitionBuilder) =>
    c.notNull().references('collections.id').onDelete('cascade');
  await table('collections')
    .addColumn('id', id.wide, id.define)
    .addColumn('page_id', id.big, ofPage)
    .addColumn('storage_type', 'text', (c) =>
      c.notNull().check(sql`storage_type in ('solo_data', 'team_data', 'social_data')`),
    )
    .addColumn('name', bytewise, (c) => c.notNull())
    .addColumn('schema', 'text')
    // Who can do what, as JSON. Beside the schema, because every list reads it.
    .addColumn('rules', 'text')
    .addUniqueConstraint('collections_by_name', ['page_id', 'storage_type', 'name'])
    .execute();
  // Lists by age use the primary key: ids begin with their creation time.
  await table('records')
    .addColumn('collection_id', id.big, ofCollection)
    .addColumn('id', bytewise, (c) => c.notNull())
    .addColumn('data', json, (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('created_by', id.big, ofUser)
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('updated_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('records_key', ['collection_id', 'id'])
    .execute();
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(`records_by_${name}`).on('records').columns(columns).execute();
  await index('change', ['collection_id', 'updated_at', 'id']);
  // The author comes first, to find everything of one user; every query names both.
  await index('author', ['created_by', 'collection_id', 'id']);
  if (!isSqlite)
    await sql`create index records_by_data on records using gin (data jsonb_path_ops)`.execute(db);
  await table('record_counts')
    .addColumn('collection_id', id.big, ofCollection)
    .addColumn('user_id', id.big, (c) => c.notNull())
    .addColumn('records', id.big, (c) => c.notNull().check(sql`records >= 0`))
    .addColumn('bytes', id.big, (c) => c.notNull().check(sql`bytes >= 0`))
    .addColumn('updated_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('record_counts_key', ['collection_id', 'user_id'])
    .execute();
}

async function createTeams({ db, table, id }: MigrationTools): Promise<void> {
  const role = (c: ColumnDefinitionBuilder) => c.notNull().check(sql`role in ('admin', 'member', 'viewer')`);
  await table('team_members')
    .addColumn('page_id', id.big, ofPage)
    .addColumn('user_id', id.big, ofUser)
    .addColumn('role', 'text', role)
    .addColumn('joined_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('team_members_key', ['page_id', 'user_id'])
    .execute();
  await table('team_invites')
    .addColumn('code_hash', 'text', (c) => c.primaryKey())
    .addColumn('page_id', id.big, ofPage)
    .addColumn('role', 'text', role)
    .addColumn('uses', 'integer', (c) => c.notNull())
    .addColumn('max_uses', 'integer')
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    // The id is not secret, so that invites can be listed and revoked.
    .addColumn('id', 'text')
    .addColumn('created_by', id.big, (c) => c.references('users.id').onDelete('set null'))
    // Where the invite was sent, so that its sender recognises it in the list.
    .addColumn('email', 'text')
    .addCheckConstraint('team_invites_uses', sql`max_uses is null or uses <= max_uses`)
    .execute();
  await table('team_files')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('page_id', id.big, ofPage)
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('content_type', 'text', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('uploaded_by', id.big, ofUser)
    .addColumn('created_at', id.big, (c) => c.notNull())
    .execute();
  const index = (name: string, table: string, columns: string[]) =>
    db.schema.createIndex(`${table}_by_${name}`).on(table).columns(columns);
  await index('user', 'team_members', ['user_id', 'page_id']).execute();
  await index('page', 'team_invites', ['page_id']).execute();
  await index('page_and_id', 'team_invites', ['page_id', 'id']).unique().execute();
  await index('page', 'team_files', ['page_id', 'id']).execute();
  await index('uploader', 'team_files', ['uploaded_by', 'page_id', 'id']).execute();
}

async function createForms({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('page_forms')
    .addColumn('page_id', id.big, ofPage)
    .addColumn('name', bytewise, (c) => c.notNull())
    .addColumn('messages', 'integer', (c) => c.notNull())
    .addColumn('unread', 'integer', (c) => c.notNull())
    .addColumn('bytes', id.big, (c) => c.notNull())
    .addColumn('last_message_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('page_forms_key', ['page_id', 'name'])
    .execute();
  await table('form_messages')
    .addColumn('id', bytewise, (c) => c.primaryKey())
    .addColumn('page_id', id.big, ofPage)
    .addColumn('form', bytewise, (c) => c.notNull())
    .addColumn('is_read', 'integer', (c) => c.notNull())
    .addColumn('bytes', id.big, (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('form_messages_by_form')
    .on('form_messages')
    .columns(['page_id', 'form', 'id'])
    .execute();
  // Texts of messages are apart from the rest, so that marking a message does not write its text again.
  await table('form_texts')
    .addColumn('message_id', bytewise, (c) =>
      c.primaryKey().references('form_messages.id').onDelete('cascade'),
    )
    .addColumn('fields', 'text', (c) => c.notNull())
    .execute();
  await table('form_files')
    .addColumn('id', bytewise, (c) => c.primaryKey())
    .addColumn('page_id', id.big, ofPage)
    .addColumn('message_id', bytewise, (c) => c.notNull().references('form_messages.id').onDelete('cascade'))
    .addColumn('field', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('content_type', 'text', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .execute();
  for (const column of ['page_id', 'message_id'])
    await db.schema.createIndex(`form_files_by_${column}`).on('form_files').column(column).execute();
  // Pages that differ from the default, which is that their owner gets mail.
  await table('form_settings')
    .addColumn('page_id', id.big, (c) => c.primaryKey().references('pages.id').onDelete('cascade'))
    .addColumn('notices', 'integer', truth('notices'))
    .execute();
}
