import { MAX_RUNS_PER_USER } from '../../../contract/rules/builder-limits.ts';
import { AppError } from '../../lib/errors.ts';
import { type Db, storageFailure } from '../../platform/storage/index.ts';

/** SQL for runs of the builder: those that are under way, and what has happened in the last ones. */

/** A run whose server has not been heard of for this long is over. */
export const LEASE_MS = 20_000;
/** What has happened in a run is kept this long. */
const KEEP_MS = 30 * 24 * 60 * 60_000;

interface NewRun {
  pageId: number;
  userId: number;
  run: string;
  now: number;
  /** The ids of the runs of this process, this one too, if there is no other process: all others are over. */
  alive?: ReadonlySet<string> | undefined;
}

/** Records that a run begins. Fails if the page already has one, or the user has too many. */
export async function beginRun(db: Db, { pageId, userId, run, now, alive }: NewRun): Promise<void> {
  try {
    await db.transaction().execute(async (tx) => {
      await tx
        .deleteFrom('builder_runs')
        .where((eb) =>
          eb.or([eb('expires_at', '<=', now), ...(alive ? [eb('run', 'not in', [...alive])] : [])]),
        )
        .execute();
      const rows = await tx
        .selectFrom('builder_runs')
        .select(['page_id', 'user_id', 'slot'])
        .where((eb) => eb.or([eb('page_id', '=', pageId), eb('user_id', '=', userId)]))
        .execute();
      if (rows.some((row) => row.page_id === pageId)) throw pageBusy(pageId);
      const taken = rows.filter((row) => row.user_id === userId).map(({ slot }) => slot);
      const slots = Array.from({ length: MAX_RUNS_PER_USER }, (_, index) => index + 1);
      const slot = slots.find((each) => !taken.includes(each));
      if (slot === undefined) throw userBusy();
      const row = { page_id: pageId, user_id: userId, slot, run, expires_at: now + LEASE_MS };
      await tx.insertInto('builder_runs').values(row).execute();
    });
  } catch (error) {
    // Another run may have taken the page or the slot at the same moment.
    if (storageFailure(error) === 'unique violation') throw pageBusy(pageId);
    throw error;
  }
}

/** Says that a run is still under way. Returns false if it was stopped or replaced. */
export async function renewRun(db: Db, run: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('builder_runs')
    .set({ expires_at: now + LEASE_MS })
    .where('run', '=', run)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether a run was neither stopped nor replaced. */
export async function isUnderWay(db: Db, run: string): Promise<boolean> {
  const row = await db.selectFrom('builder_runs').select('run').where('run', '=', run).executeTakeFirst();
  return row !== undefined;
}

export async function endRun(db: Db, run: string): Promise<void> {
  await db.deleteFrom('builder_runs').where('run', '=', run).execute();
}

/** Ends the run on a page. Returns its id. */
export async function stopRun(db: Db, pageId: number): Promise<string | undefined> {
  const row = await db
    .deleteFrom('builder_runs')
    .where('page_id', '=', pageId)
    .returning('run')
    .executeTakeFirst();
  return row?.run;
}

interface Progress {
  pageId: number;
  userId: number;
  run: string;
  state: string;
  now: number;
}

/** Keeps what has happened in a new run, in place of the last run of this person on this page. */
export async function insertProgress(db: Db, { pageId, userId, run, state, now }: Progress): Promise<void> {
  await db
    .deleteFrom('builder_progress')
    .where('updated_at', '<=', now - KEEP_MS)
    .execute();
  const fields = { run, state, updated_at: now };
  await db
    .insertInto('builder_progress')
    .values({ page_id: pageId, user_id: userId, ...fields })
    .onConflict((conflict) => conflict.columns(['page_id', 'user_id']).doUpdateSet(fields))
    .execute();
}

/** Keeps what has happened in a run since, unless another has begun. */
export async function updateProgress(db: Db, { pageId, userId, run, state, now }: Progress): Promise<void> {
  await db
    .updateTable('builder_progress')
    .set({ state, updated_at: now })
    .where('page_id', '=', pageId)
    .where('user_id', '=', userId)
    .where('run', '=', run)
    .execute();
}

/** The last run of a person on a page. */
export async function findProgress(db: Db, pageId: number, userId: number) {
  return db
    .selectFrom('builder_progress')
    .select(['run', 'state', 'updated_at'])
    .where('page_id', '=', pageId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** What has happened in the runs of a person that are under way; `alive` as for a new run. */
export async function listUnderWay(
  db: Db,
  { userId, now, alive }: Pick<NewRun, 'userId' | 'now' | 'alive'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('builder_runs')
    .innerJoin('builder_progress', 'builder_progress.run', 'builder_runs.run')
    .select(['state', 'builder_runs.run'])
    .where('builder_runs.user_id', '=', userId)
    .where('builder_progress.user_id', '=', userId)
    .where('expires_at', '>', now)
    .execute();
  return rows.filter(({ run }) => !alive || alive.has(run)).map(({ state }) => state);
}

const pageBusy = (pageId: number) =>
  new AppError(
    'CONFLICT',
    'The builder is already working on this page. Wait until it is done, or stop it with DELETE /api/builder/{id}.',
    { id: String(pageId) },
  );

const userBusy = () =>
  new AppError(
    'RATE_LIMITED',
    'The builder is already working on {count} of your pages, which is the limit. Wait until one is done.',
    { count: MAX_RUNS_PER_USER },
  );
