import { type ColumnDefinitionBuilder, sql } from 'kysely';
import { ofPage, truth } from './0001/columns.ts';
import type { MigrationTools } from './tools.ts';

const ofMaybeUser = (c: ColumnDefinitionBuilder) => c.references('users.id').onDelete('set null');

/** Moments of applications, and their restores. */
export async function up(tools: MigrationTools): Promise<void> {
  const { db, table, id } = tools;
  await table('moments')
    .addColumn('id', id.wide, id.define)
    .addColumn('page_id', id.big, ofPage)
    .addColumn('at', id.big, (c) => c.notNull())
    .addColumn('name', 'text')
    .addColumn('cause_kind', 'text')
    .addColumn('cause_by', id.big, ofMaybeUser)
    .addColumn('cause_text', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addUniqueConstraint('moments_by_time', ['page_id', 'at'])
    .execute();
  await db.schema
    .createIndex('moments_by_person')
    .on('moments')
    .column('cause_by')
    .where('cause_by', 'is not', null)
    .execute();
  await table('moment_snapshots')
    .addColumn('moment_id', id.big, (c) => c.notNull().references('moments.id').onDelete('cascade'))
    .addColumn('snapshot_id', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('moment_snapshots_key', ['moment_id', 'snapshot_id'])
    .execute();
  await db.schema
    .createIndex('moment_snapshots_by_snapshot')
    .on('moment_snapshots')
    .column('snapshot_id')
    .execute();
  await createRestores(tools);
  await table('removed_functions')
    .addColumn('page_id', id.big, ofPage)
    .addColumn('function_id', id.big, (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('is_public', 'integer', truth('is_public'))
    .addColumn('code', 'text', (c) => c.notNull())
    .addColumn('files', 'text')
    .addColumn('bundle', 'text')
    .addColumn('source_map', 'text')
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('removed_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('removed_functions_key', ['page_id', 'function_id', 'version'])
    .execute();
}

async function createRestores({ db, table, id }: MigrationTools): Promise<void> {
  await table('restores')
    .addColumn('id', id.wide, id.define)
    .addColumn('page_id', id.big, ofPage)
    .addColumn('user_id', id.big, ofMaybeUser)
    .addColumn('at', id.big, (c) => c.notNull())
    .addColumn('undo_at', id.big)
    .addColumn('parts', 'text', (c) => c.notNull())
    .addColumn('collections', 'text')
    .addColumn('step', 'text', (c) => c.notNull())
    .addColumn('changes', 'text')
    .addColumn('error', 'text')
    .addColumn('started_at', id.big, (c) => c.notNull())
    .addColumn('finished_at', id.big)
    .addColumn('claimed_until', id.big, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('restores_by_page').on('restores').columns(['page_id', 'id']).execute();
  // One restore of a page at a time.
  await sql`create unique index restores_running on restores (page_id) where finished_at is null`.execute(db);
}
