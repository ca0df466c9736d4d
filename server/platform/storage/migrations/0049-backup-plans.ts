import { sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/** The schedule of backups, and which of them were proven. Neither is in backups. */
export async function up({ table, id, bytewise }: MigrationTools): Promise<void> {
  await table('backup_plans')
    .addColumn('slot', 'integer', (c) => c.primaryKey().check(sql`slot = 1`))
    .addColumn('cron', 'text', (c) => c.notNull())
    .addColumn('due_at', id.big, (c) => c.notNull())
    .addColumn('planned_at', id.big, (c) => c.notNull())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('failed_at', id.big)
    .addColumn('problem', 'text')
    .execute();
  await table('backup_proofs')
    .addColumn('name', bytewise, (c) => c.primaryKey())
    .addColumn('at', id.big, (c) => c.notNull())
    .addColumn('duration_ms', id.big, (c) => c.notNull())
    .addColumn('problem', 'text')
    .execute();
}
