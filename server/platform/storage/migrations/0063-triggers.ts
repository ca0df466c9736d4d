import { sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/** Triggers: functions that get the changes of collections of their page. */
export async function up({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('function_triggers')
    .addColumn('id', id.wide, id.define)
    .addColumn('function_id', id.big, (c) => c.notNull().references('functions.id').onDelete('cascade'))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('collection', bytewise, (c) => c.notNull())
    .addColumn('actions', 'text', (c) => c.notNull())
    .addColumn('url', 'text')
    .addColumn('sealed_secret', 'text')
    .execute();
  await db.schema
    .createIndex('function_triggers_by_function')
    .on('function_triggers')
    .column('function_id')
    .execute();
  await db.schema.alterTable('pages').addColumn('triggers', 'text').execute();
  const jobs = () => db.schema.alterTable('function_jobs');
  await jobs().addColumn('trigger_id', id.big).execute();
  await jobs().addColumn('in_order', bytewise).execute();
  await jobs()
    .addColumn('round', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('function_jobs_in_order')
    .on('function_jobs')
    .columns(['function_id', 'in_order', 'id'])
    .where(sql<boolean>`in_order is not null and failed_at is null`)
    .execute();
}
