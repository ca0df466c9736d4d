import type { PatchFunction } from '../../../../contract/functions/functions.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import type { Cell } from '../../../runtime/cells/index.ts';
import type { FunctionRow } from '../model/store.ts';
import { notScheduled, planSchedules, replaceSchedules } from '../schedules/change.ts';
import { assertTriggers, noQueue, replaceTriggers } from '../triggers/change.ts';
import type { DeployContext } from './context.ts';

/** Checks new schedules and triggers of a function, and says how to store them. */
export async function planRuns(
  context: DeployContext,
  { page_id: pageId }: FunctionRow,
  { schedules: given, on }: Pick<PatchFunction, 'schedules' | 'on'>,
) {
  const { db, now, pages } = context;
  const schedules = given && (await planSchedules(given, now()));
  if (on) await assertTriggers(context, db, pageId, on);
  const needsQueue = on?.some(({ url }) => url === undefined) === true;
  return {
    /** Whether the code that the function has takes them. */
    async assertTaken(load: () => Promise<Cell>): Promise<void> {
      if (!schedules?.length && !needsQueue) return;
      const { hasScheduled, hasQueue } = await load();
      if (schedules?.length && !hasScheduled) throw notScheduled();
      if (needsQueue && !hasQueue) throw noQueue();
    },
    /** Call this before the function is locked: all who change both lock the page first. */
    async lockPage(tx: Tx): Promise<void> {
      if (on && pageId !== null) await pages.lock(tx, pageId);
    },
    async store(tx: Tx, row: Omit<FunctionRow, 'owner'>): Promise<void> {
      // Its triggers were checked, and the page was locked, for the page that it had before.
      if (on && row.page_id !== pageId)
        throw new AppError('CONFLICT', 'The function has just been added to another page. Try again.');
      const owner = { functionId: row.id, ownerId: row.owner_id ?? 0 };
      if (schedules) await replaceSchedules(tx, owner, schedules, now());
      if (on) await replaceTriggers(context, tx, { functionId: row.id, pageId: row.page_id }, on);
    },
  };
}
