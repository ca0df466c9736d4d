import type { MigrationTools } from './tools.ts';

/** When functions run by themselves. */
export async function up({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('function_schedules')
    .addColumn('id', id.type, id.define)
    .addColumn('function_id', id.big, (c) => c.notNull().references('functions.id').onDelete('cascade'))
    .addColumn('owner_id', id.big, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('cron', bytewise, (c) => c.notNull())
    .addColumn('timezone', bytewise, (c) => c.notNull())
    .addColumn('moment', id.big, (c) => c.notNull())
    .addColumn('due_at', id.big, (c) => c.notNull())
    .addColumn('planned_at', id.big, (c) => c.notNull())
    .addColumn('running_until', id.big)
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('last_moment', id.big)
    .addColumn('last_started_at', id.big)
    .addColumn('last_result', 'text')
    .addColumn('last_duration_ms', 'integer')
    .addColumn('last_error', 'text')
    .addUniqueConstraint('function_schedules_key', ['function_id', 'cron', 'timezone'])
    .execute();
  const index = (name: string) =>
    db.schema.createIndex(`function_schedules_by_${name}`).on('function_schedules');
  await index('due').columns(['due_at', 'owner_id']).execute();
  await index('owner').column('owner_id').execute();
  // Only runs in progress: few of many.
  await index('end').column('running_until').where('running_until', 'is not', null).execute();
}
