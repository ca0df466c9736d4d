import type { MigrationTools } from './tools.ts';

/** Drafts, notes on versions, the gallery, how pages and functions are used, and saved queries. */
export async function up(tools: MigrationTools): Promise<void> {
  await drafts(tools);
  await gallery(tools);
  await usePages(tools);
  await useFunctions(tools);
}

async function drafts({ db, table, id }: MigrationTools): Promise<void> {
  await db.schema.alterTable('page_versions').addColumn('note', 'text').execute();
  await db.schema.alterTable('function_versions').addColumn('note', 'text').execute();
  await table('page_drafts')
    .addColumn('id', id.type, id.define)
    .addColumn('page_id', id.big, (c) => c.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('base_version', 'integer', (c) => c.notNull())
    .addColumn('html_content', 'text', (c) => c.notNull())
    .addColumn('size', id.big, (c) => c.notNull())
    .addColumn('content_hash', 'text', (c) => c.notNull())
    .addColumn('manifest_id', id.big)
    .addColumn('note', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('author_id', id.big, (c) => c.references('users.id').onDelete('set null'))
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('updated_at', id.big, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('page_drafts_by_page').on('page_drafts').columns(['page_id', 'id']).execute();
  await db.schema.createIndex('page_drafts_by_author').on('page_drafts').column('author_id').execute();
}

async function gallery({ db, table, id }: MigrationTools): Promise<void> {
  await db.schema.alterTable('pages').addColumn('listed_at', id.big).execute();
  await db.schema.alterTable('pages').addColumn('unlisted_by_admin_at', id.big).execute();
  await db.schema.alterTable('pages').addColumn('unlisted_by_admin_reason', 'text').execute();
  // Few pages are in the gallery.
  await db.schema
    .createIndex('pages_by_listed')
    .on('pages')
    .columns(['listed_at', 'id'])
    .where('listed_at', 'is not', null)
    .execute();
  await table('page_pictures')
    .addColumn('page_id', id.big, (c) => c.primaryKey().references('pages.id').onDelete('cascade'))
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('blob_key', 'text')
    .addColumn('size', id.big, (c) => c.notNull())
    .addColumn('width', 'integer', (c) => c.notNull())
    .addColumn('height', 'integer', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .execute();
}

async function usePages({ table, id, bytewise }: MigrationTools): Promise<void> {
  const ofPage = (name: string) =>
    table(name).addColumn('page_id', id.big, (c) => c.notNull().references('pages.id').onDelete('cascade'));
  await ofPage('page_hours')
    .addColumn('hour', id.big, (c) => c.notNull())
    .addColumn('views', 'integer', (c) => c.notNull())
    .addColumn('visitors', 'integer', (c) => c.notNull())
    .addColumn('sketch', 'text')
    .addColumn('errors', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('page_hours_key', ['page_id', 'hour'])
    .execute();
  await ofPage('page_days')
    .addColumn('day', id.big, (c) => c.notNull())
    .addColumn('views', 'integer', (c) => c.notNull())
    .addColumn('visitors', 'integer', (c) => c.notNull())
    .addColumn('sketch', 'text')
    .addColumn('errors', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('page_days_key', ['page_id', 'day'])
    .execute();
  await ofPage('page_referrers')
    .addColumn('day', id.big, (c) => c.notNull())
    .addColumn('referrer', bytewise, (c) => c.notNull())
    .addColumn('views', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('page_referrers_key', ['page_id', 'day', 'referrer'])
    .execute();
  await ofPage('page_feature_days')
    .addColumn('day', id.big, (c) => c.notNull())
    .addColumn('feature', bytewise, (c) => c.notNull())
    .addColumn('uses', 'integer', (c) => c.notNull())
    .addColumn('tokens', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('page_feature_days_key', ['page_id', 'day', 'feature'])
    .execute();
  await ofPage('page_errors')
    .addColumn('fingerprint', bytewise, (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('line_number', 'integer')
    .addColumn('column_number', 'integer')
    .addColumn('stack', 'text')
    .addColumn('browser', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('count', 'integer', (c) => c.notNull())
    .addColumn('first_at', id.big, (c) => c.notNull())
    .addColumn('last_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('page_errors_key', ['page_id', 'fingerprint'])
    .execute();
}

async function useFunctions({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('function_durations')
    .addColumn('function_id', id.big, (c) => c.notNull().references('functions.id').onDelete('cascade'))
    .addColumn('hour', id.big, (c) => c.notNull())
    .addColumn('bucket', 'integer', (c) => c.notNull())
    .addColumn('calls', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('function_durations_key', ['function_id', 'hour', 'bucket'])
    .execute();
  await table('saved_queries')
    .addColumn('id', id.type, id.define)
    .addColumn('database_id', id.big, (c) =>
      c.notNull().references('function_databases.id').onDelete('cascade'),
    )
    .addColumn('name', bytewise, (c) => c.notNull())
    .addColumn('sql', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('updated_at', id.big, (c) => c.notNull())
    .addUniqueConstraint('saved_queries_key', ['database_id', 'name'])
    .execute();
  for (const name of ['page_hours', 'function_durations'])
    await db.schema.createIndex(`${name}_by_hour`).on(name).column('hour').execute();
  for (const name of ['page_days', 'page_referrers', 'page_feature_days'])
    await db.schema.createIndex(`${name}_by_day`).on(name).column('day').execute();
  await db.schema.createIndex('page_errors_by_time').on('page_errors').column('last_at').execute();
}
