import { MAX_RUNS_PER_USER } from '../../../contract/rules/builder-limits.ts';
import { AppError } from '../../lib/errors.ts';
import { type Db, storageFailure } from '../../platform/storage/index.ts';

/** SQL for running runs of the builder. */

interface NewRun {
  pageId: number;
  userId: number;
  run: string;
  now: number;
  expiresAt: number;
}

/** Records that a run begins. Fails if the page already has one, or the user has too many. */
export async function beginRun(db: Db, { pageId, userId, run, now, expiresAt }: NewRun): Promise<void> {
  try {
    await db.transaction().execute(async (tx) => {
      await tx.deleteFrom('builder_runs').where('expires_at', '<=', now).execute();
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
      const row = { page_id: pageId, user_id: userId, slot, run, expires_at: expiresAt };
      await tx.insertInto('builder_runs').values(row).execute();
    });
  } catch (error) {
    // Another run may have taken the page or the slot at the same moment.
    if (storageFailure(error) === 'unique violation') throw pageBusy(pageId);
    throw error;
  }
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
