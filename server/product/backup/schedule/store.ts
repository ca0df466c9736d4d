import type { Selectable } from 'kysely';
import type { Db, Tables } from '../../../platform/storage/index.ts';

/** SQL for the schedule of backups, which all nodes share. */

export type PlanRow = Selectable<Tables['backup_plans']>;

export function findPlan(db: Db): Promise<PlanRow | undefined> {
  return db.selectFrom('backup_plans').selectAll().executeTakeFirst();
}

/** Plans the next backup of a schedule that is new, or that was planned by a wrong clock. */
export async function savePlan(db: Db, plan: Pick<PlanRow, 'cron' | 'due_at' | 'planned_at'>): Promise<void> {
  await db
    .insertInto('backup_plans')
    .values({ slot: 1, ...plan, failures: 0, failed_at: null, problem: null })
    .onConflict((conflict) => conflict.column('slot').doUpdateSet(plan))
    .execute();
}

/** Claims the backup that is due, and plans the next one. False if another node has done so. */
export async function claimPlan(
  db: Db,
  { due_at }: PlanRow,
  next: { due_at: number; planned_at: number },
): Promise<boolean> {
  const claimed = await db
    .updateTable('backup_plans')
    .set(next)
    .where('due_at', '=', due_at)
    .returning('slot')
    .executeTakeFirst();
  return claimed !== undefined;
}

export async function changePlan(db: Db, change: Partial<Omit<PlanRow, 'slot' | 'cron'>>): Promise<void> {
  await db.updateTable('backup_plans').set(change).execute();
}

/** Counts one more failure. Returns how many there are in a row. */
export async function addFailure(
  db: Db,
  failure: Pick<PlanRow, 'failed_at' | 'problem'>,
): Promise<number | undefined> {
  const row = await db
    .updateTable('backup_plans')
    .set((eb) => ({ ...failure, failures: eb('failures', '+', 1) }))
    .returning('failures')
    .executeTakeFirst();
  return row?.failures;
}
