import type { Db } from '../../../platform/storage/index.ts';
import { DAY_MS, sumOwnerDays } from './stats-store.ts';

/** Calls of each function of an owner on each of the last days, the last one today. */
export async function listDailyCalls(
  { db, logs, now }: { db: Db; logs: { flush(): Promise<void> }; now: () => number },
  ownerId: number,
  days: number,
) {
  // Statistics that cannot be written now are shown the next time.
  await logs.flush().catch(() => undefined);
  const first = Math.floor(now() / DAY_MS) - (days - 1);
  const rows = await sumOwnerDays(db, ownerId, first * DAY_MS);
  const functions = new Map<string, number[]>();
  for (const { slug, day, calls } of rows) {
    const counted = functions.get(slug) ?? Array.from({ length: days }, () => 0);
    counted[day - first] = calls;
    functions.set(slug, counted);
  }
  return [...functions].map(([slug, calls]) => ({ slug, calls }));
}
