import type { RecordData } from '../../../../contract/rules/record-data.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import { countedFor, parseRules } from '../collections/collection.ts';
import { LOG_OVERHEAD, logWithoutData } from '../log/write-log.ts';
import {
  type Change,
  type ChangeContext,
  type Existing,
  noteChanges,
  removeExisting,
  storeData,
} from '../records/changes.ts';
import { addToCounts } from '../records/count-store.ts';
import { countNew } from '../records/counts.ts';
import type { RecordRow } from '../records/store.ts';
import { toRecord } from '../records/wire.ts';

/** A record as it is, locked, with its collection and who brings it back. There is no row if it was deleted. */
type Present = Omit<Existing, 'row'> & { row: RecordRow | undefined };

/**
 * Makes a record what it was: changes it, deletes it or adds it again. It is a change like any other, so it can be
 * undone. Undefined if there was nothing to do. The schema does not matter, as for records that exist.
 */
export async function bringBack(
  context: ChangeContext,
  tx: Tx,
  { row, ...where }: Present,
  past: RecordRow | undefined,
): Promise<Change | undefined> {
  if (!past) return row && removeExisting(context, tx, { ...where, row });
  if (!row) return insertAgain(context, tx, where, past);
  if (row.text === past.text) return undefined;
  const data = JSON.parse(past.text) as RecordData;
  return storeData(context, tx, { ...where, row }, { data, text: past.text, size: past.size });
}

/** Adds a deleted record again, with its id and its author. */
async function insertAgain(
  context: ChangeContext,
  tx: Tx,
  { target, collection }: Omit<Existing, 'row'>,
  past: RecordRow,
): Promise<Change> {
  const now = context.readTime(target.page.id);
  const row = { ...past, updated_at: now };
  await context.writes.insertAgain(tx, collection.id, row);
  const data = JSON.parse(row.text) as RecordData;
  await noteChanges(context, tx, { target, collection }, () => [{ ...row, after: data }]);
  await countNew(context, tx, target, collection.id, [row]);
  if (context.writes.isLogged) {
    await logWithoutData(tx, 'restore', collection.id, [row], { now, by: target.actor?.userId ?? null });
    const userId = countedFor(target.storageType, row.created_by);
    await addToCounts(tx, collection.id, userId, { records: 0, bytes: 0, logged: LOG_OVERHEAD, now });
  }
  const record = toRecord(row, data, target);
  return { type: 'created', record, row, rules: parseRules(collection) };
}
