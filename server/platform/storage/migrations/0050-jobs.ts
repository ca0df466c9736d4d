import { sql } from 'kysely';
import { ofUser } from './0001/columns.ts';
import type { MigrationTools } from './tools.ts';

/** Messages that functions send to their own `queue`. */
export async function up({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('function_queues')
    .addColumn('function_id', id.big, (c) => c.primaryKey().references('functions.id').onDelete('cascade'))
    .addColumn('owner_id', id.big, ofUser)
    .addColumn('waiting', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('failed', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('bytes', id.big, (c) => c.notNull().defaultTo(0))
    .addColumn('due_at', id.big)
    .addColumn('running_until', id.big)
    .addColumn('lease', 'text')
    .addColumn('running', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  const queueIndex = (name: string) =>
    db.schema.createIndex(`function_queues_by_${name}`).on('function_queues');
  await queueIndex('owner').column('owner_id').execute();
  // Functions without work have no entry.
  await queueIndex('due').columns(['due_at', 'owner_id']).where('due_at', 'is not', null).execute();
  await queueIndex('end').column('running_until').where('running_until', 'is not', null).execute();

  await table('function_jobs')
    .addColumn('id', id.wide, id.define)
    // Whoever changes messages has locked this row, so that all change both in the same order.
    .addColumn('function_id', id.big, (c) =>
      c.notNull().references('function_queues.function_id').onDelete('cascade'),
    )
    .addColumn('key', bytewise)
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addColumn('sent_at', id.big, (c) => c.notNull())
    .addColumn('due_at', id.big, (c) => c.notNull())
    .addColumn('tries', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('batch', 'text')
    .addColumn('failed_at', id.big)
    .addColumn('error', 'text')
    .execute();
  const index = (name: string) => db.schema.createIndex(`function_jobs_by_${name}`).on('function_jobs');
  await index('due')
    .columns(['function_id', 'due_at', 'id'])
    .where(sql<boolean>`failed_at is null`)
    .execute();
  await index('failure').columns(['function_id', 'id']).where(sql<boolean>`failed_at is not null`).execute();
  await index('key').columns(['function_id', 'key']).unique().where('key', 'is not', null).execute();
}
