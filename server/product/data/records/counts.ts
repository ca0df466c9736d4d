import type { Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import type { InCollection } from '../access/data-target.ts';
import { countedFor } from '../collections/collection.ts';
import { LOG_OVERHEAD } from '../log/write-log.ts';
import { addToCounts } from './count-store.ts';
import type { RecordRow } from './store.ts';
import type { RecordWrites } from './write-store.ts';

/** Counts the records of collections, and charges the owners of pages for them. */

/** The size of a record in addition to its data, so that many empty ones are not free. */
const RECORD_OVERHEAD = 256;

export interface CountContext {
  now: () => number;
  chargeUsage: ChargeUsage;
}

/** For changes that are added to the record log. */
export interface LoggedContext extends CountContext {
  writes: Pick<RecordWrites, 'isLogged'>;
}

type Counted = Pick<RecordRow, 'created_by' | 'size'>;

/** Counts new records, once for each user that they count for, and charges the page's owner for all of them. */
export async function countNew(
  context: CountContext,
  tx: Tx,
  target: InCollection,
  collectionId: number,
  rows: Counted[],
): Promise<void> {
  const bytes = await countAll(context, tx, target, collectionId, rows, 1);
  // If this fails for several callers, each of them tries again alone and gets the error meant for them.
  await context.chargeUsage(tx, target.page.owner_id, { bytes }, target.actor?.userId);
}

/** Counts deleted records, once for each user that they count for, and returns all bytes to the page's owner. */
export async function countGone(
  context: CountContext,
  tx: Tx,
  target: Pick<InCollection, 'page' | 'storageType'>,
  collectionId: number,
  rows: Counted[],
): Promise<void> {
  const bytes = await countAll(context, tx, target, collectionId, rows, -1);
  await context.chargeUsage(tx, target.page.owner_id, { bytes });
}

/** Updates the counts for some records. Returns their bytes. */
async function countAll(
  context: CountContext,
  tx: Tx,
  { storageType }: Pick<InCollection, 'storageType'>,
  collectionId: number,
  rows: Counted[],
  sign: 1 | -1,
): Promise<number> {
  const counts = new Map<number, { records: number; bytes: number }>();
  for (const row of rows) {
    const userId = countedFor(storageType, row.created_by);
    const { records, bytes } = counts.get(userId) ?? { records: 0, bytes: 0 };
    counts.set(userId, { records: records + sign, bytes: bytes + sign * (row.size + RECORD_OVERHEAD) });
  }
  const now = context.now();
  let total = 0;
  for (const [userId, change] of counts) {
    await addToCounts(tx, collectionId, userId, { ...change, logged: 0, now });
    total += change.bytes;
  }
  return total;
}

/** A written record, and its collection with the caller who writes it. */
interface WrittenRecord {
  target: InCollection;
  collectionId: number;
  row: RecordRow;
}

/** Updates the count of bytes for a changed record, and charges the page's owner for the difference. */
export function countChanged(
  context: LoggedContext,
  tx: Tx,
  record: WrittenRecord,
  addedBytes: number,
): Promise<void> {
  return count(context, tx, record, { records: 0, bytes: addedBytes });
}

/** Updates the counts for a deleted record, and returns its bytes to the page's owner. */
export function countDeleted(context: LoggedContext, tx: Tx, record: WrittenRecord): Promise<void> {
  return count(context, tx, record, { records: -1, bytes: -record.row.size - RECORD_OVERHEAD });
}

async function count(
  context: LoggedContext,
  tx: Tx,
  { target, collectionId, row }: WrittenRecord,
  change: { records: number; bytes: number },
): Promise<void> {
  const userId = countedFor(target.storageType, row.created_by);
  const logged = context.writes.isLogged ? row.size + LOG_OVERHEAD : 0;
  await addToCounts(tx, collectionId, userId, { ...change, logged, now: context.now() });
  if (change.bytes === 0) return;
  await context.chargeUsage(tx, target.page.owner_id, { bytes: change.bytes }, target.actor?.userId);
}
