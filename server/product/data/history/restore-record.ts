import type { RecordResponse } from '../../../../contract/data/records.ts';
import type { RecordData } from '../../../../contract/rules/record-data.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import { demandAccess, type InCollection } from '../access/data-target.ts';
import { lookUpCollection, parseRules } from '../collections/collection.ts';
import { assertValid, type Change } from '../records/changes.ts';
import { toRecord } from '../records/wire.ts';
import { isTriggered, sendChanges, type WriteContext } from '../records/write.ts';
import { assertKept } from './assert-kept.ts';
import { bringBack } from './bring-back.ts';
import { demandDeleted } from './read-past.ts';
import { findFirstChange, toPastRow } from './state-store.ts';

/** Brings a record back as it was before a time, for those who can change it, or could create it again. */
export async function bringRecordBack(
  context: WriteContext,
  target: InCollection,
  recordId: string,
  at: number,
): Promise<RecordResponse> {
  let record: RecordResponse | undefined;
  const [change] = await context.commit.run(
    (tx) =>
      sendChanges(context, tx, [target], async () => {
        const restored = await restore(context, tx, target, recordId, at);
        record = restored.record;
        return restored.change ? [restored.change] : [];
      }),
    { alone: isTriggered(target) },
  );
  if (change) context.announce(target, change);
  return record as RecordResponse;
}

async function restore(
  context: WriteContext,
  tx: Tx,
  target: InCollection,
  recordId: string,
  at: number,
): Promise<{ record: RecordResponse; change: Change | undefined }> {
  const collection = await lookUpCollection(tx, target);
  const rules = parseRules(collection);
  demandAccess(target, 'read', { rules });
  if (!collection) throw notFound('This record was not found.');
  const row = await context.writes.lock(tx, collection.id, recordId);
  if (row) demandAccess(target, 'update', { rules, record: row });
  else {
    await demandDeleted(tx, target, collection, recordId);
    demandAccess(target, 'create', { rules });
  }
  await assertKept(tx, collection.id, at);
  const first = await findFirstChange(tx, collection.id, recordId, at);
  // A record can be created and changed in the same millisecond, and the time is that of a change.
  const past = first ? toPastRow(first, at + 1) : row;
  if (!past || past.created_at > at) throw notThen();
  const data = JSON.parse(past.text) as RecordData;
  assertValid(collection, data, 'whole record');
  const change = await bringBack(context, tx, { target, collection, row }, past);
  if (change?.type === 'deleted') throw notThen();
  return { record: change?.record ?? toRecord(past, data, target), change };
}

function notThen(): AppError {
  return new AppError(
    'CONFLICT',
    'This record did not exist before that time. Give the time of one of the changes in its history.',
  );
}
