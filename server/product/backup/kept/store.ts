import type { Db } from '../../../platform/storage/index.ts';

/** SQL for the row of the running backup, which all nodes share. */

export type RunRow = NonNullable<Awaited<ReturnType<typeof findRun>>>;

export function findRun(db: Db) {
  return db.selectFrom('backup_runs').selectAll().executeTakeFirst();
}

/** Claims the row. False if another backup runs whose node has reported since `silentSince`. */
export async function claimRun(
  db: Db,
  run: { name: string; now: number; silentSince: number },
): Promise<boolean> {
  const values = { name: run.name, started_at: run.now, seen_at: run.now, bytes: 0, problem: null };
  const claimed = await db
    .insertInto('backup_runs')
    .values({ slot: 1, ...values })
    .onConflict((conflict) =>
      conflict
        .column('slot')
        .doUpdateSet(values)
        .where((eb) =>
          eb.or([eb('backup_runs.problem', 'is not', null), eb('backup_runs.seen_at', '<', run.silentSince)]),
        ),
    )
    .returning('slot')
    .executeTakeFirst();
  return claimed !== undefined;
}

export async function updateRun(
  db: Db,
  name: string,
  change: { seen_at: number; bytes: number; problem?: string },
): Promise<void> {
  await db.updateTable('backup_runs').set(change).where('name', '=', name).execute();
}

/** Ends the run of a node that has not reported since `silentSince`. Returns its name, on one node only. */
export async function endSilentRun(
  db: Db,
  { silentSince, problem }: { silentSince: number; problem: string },
): Promise<string | undefined> {
  const ended = await db
    .updateTable('backup_runs')
    .set({ problem })
    .where('problem', 'is', null)
    .where('seen_at', '<', silentSince)
    .returning('name')
    .executeTakeFirst();
  return ended?.name;
}

/** Deletes the row of a backup. False if there was none. */
export async function deleteRun(db: Db, name: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('backup_runs')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
