import type { Db } from '../../platform/storage/index.ts';
import { Browsers, visitorHash } from './browsers.ts';
import type { DailySalt } from './daily-salt.ts';
import { floorToDay } from './limits.ts';
import { addHash, createSketch, decodeSketch, estimate } from './sketch.ts';
import { listDays } from './store.ts';

/**
 * Counts the visitors of today without one of them. A sketch cannot forget a visitor, so this one is added, whether they
 * came or not, and then not counted.
 */
export async function countOthers(
  { db, now, salt }: { db: Db; now: () => number; salt: Pick<DailySalt, 'read'> },
  pageId: number,
  { userAgent, address }: { userAgent: string; address: string },
): Promise<number> {
  const day = floorToDay(now());
  const [today] = await listDays(db, pageId, day);
  const sketch = today?.sketch ? decodeSketch(today.sketch) : createSketch();
  const value = await salt.read(day);
  const browser = value === undefined ? null : new Browsers(day, value).find(userAgent);
  if (!browser) return estimate(sketch);
  addHash(sketch, visitorHash(browser.seed, address));
  return estimate(sketch) - 1;
}
