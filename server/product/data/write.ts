import type { CollectionSchema } from '../../../contract/collection-schema.ts';
import type { Operation, RecordResponse } from '../../../contract/records.ts';
import type { RecordData } from '../../../contract/rules/record-data.ts';
import { faultsOf } from '../../../contract/rules/record-faults.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import type { GroupCommit, Tx } from '../../platform/storage/index.ts';
import { countedFor, ensureCollection, lookUpCollection } from './collections/collection.ts';
import type { CollectionRow } from './collections/store.ts';
import type { ChargeUsage } from './needs.ts';
import { demandAccess, type InCollection } from './place.ts';
import { checkData, type SerializedData, serializeData } from './record-data.ts';
import {
  addToCounts,
  deleteRecord,
  type InsertRecords,
  lockRecord,
  type RecordRow,
  updateRecord,
} from './store.ts';
import { toRecord } from './wire.ts';

/** The size of a record in addition to its data, so that many empty ones are not free. */
const RECORD_OVERHEAD = 256;

/** The result of a write, for followers of the collection. */
export type Change =
  | Created
  | { type: 'updated'; record: RecordResponse; row: RecordRow }
  | { type: 'deleted'; row: RecordRow };

interface Created {
  type: 'created';
  record: RecordResponse;
  row: RecordRow;
}

/** What writing needs. */
export interface WriteContext {
  commit: GroupCommit;
  insertRecords: InsertRecords;
  now: () => number;
  chargeUsage: ChargeUsage;
  /** Called once the change is committed. */
  announce(place: InCollection, change: Change): void;
}

export async function createRecord(
  context: WriteContext,
  place: InCollection,
  data: unknown,
): Promise<RecordResponse> {
  demandAccess(place, 'create');
  const { page, storageType, collection } = place;
  const change = await context.commit.runBatched(
    `${page.id} ${storageType} ${collection}`,
    { place, content: checkData(data) },
    (tx, items) => create(context, tx, place, items),
  );
  context.announce(place, change);
  return change.record;
}

export async function changeRecord(
  context: WriteContext,
  place: InCollection,
  id: string,
  data: unknown,
): Promise<RecordResponse> {
  const [result] = await write(context, place, [{ op: 'update', id, data }]);
  return result?.record as RecordResponse;
}

export async function removeRecord(context: WriteContext, place: InCollection, id: string): Promise<void> {
  await write(context, place, [{ op: 'delete', id }]);
}

/** Does all of the operations or none. An error says which one failed. */
export async function runBatch(context: WriteContext, place: InCollection, operations: Operation[]) {
  // Refused even if there is nothing to do: otherwise an empty batch would reveal something to a viewer.
  demandAccess(place, 'create');
  return write(context, place, operations, atIndex);
}

type Explain = (error: AppError, index: number) => AppError;

async function write(
  context: WriteContext,
  place: InCollection,
  operations: Operation[],
  explain: Explain = (error) => error,
): Promise<Array<{ success: true; record?: RecordResponse }>> {
  const failed = (error: unknown, index: number) =>
    error instanceof AppError ? explain(error, index) : error;
  const checked = operations.map((operation, index) => {
    try {
      return check(place, operation);
    } catch (error) {
      throw failed(error, index);
    }
  });
  const alone = operations.length > 1;
  const changes = await context.commit.run(
    async (tx) => {
      const made: Change[] = [];
      for (const [index, operation] of checked.entries()) {
        const change = await apply(context, tx, place, operation).catch((error: unknown) => {
          throw failed(error, index);
        });
        made.push(change);
      }
      return made;
    },
    { alone },
  );
  for (const change of changes) context.announce(place, change);
  return changes.map((change) =>
    change.type === 'deleted' ? { success: true } : { success: true, record: change.record },
  );
}

/** Refuses what can be refused without the database. */
function check(place: InCollection, operation: Operation): Checked {
  demandAccess(place, operation.op);
  return operation.op === 'delete' ? operation : { ...operation, content: checkData(operation.data) };
}

type Checked =
  | { op: 'create'; content: SerializedData }
  | { op: 'update'; id: string; content: SerializedData }
  | { op: 'delete'; id: string };

function atIndex(error: AppError, index: number): AppError {
  const { error: message, code, ...rest } = error.toBody();
  return new AppError(error.code, `Operation ${index}: ${message}`, {
    body: { ...rest, index },
    headers: error.headers,
  });
}

async function apply(
  context: WriteContext,
  tx: Tx,
  place: InCollection,
  operation: Checked,
): Promise<Change> {
  if (operation.op === 'create') {
    const [change] = await create(context, tx, place, [{ place, content: operation.content }]);
    return change as Change;
  }
  const collection = await lookUpCollection(tx, place);
  const row = collection && (await lockRecord(tx, collection.id, operation.id));
  if (!row) throw notFound('This record');
  demandAccess(place, operation.op, row);
  if (operation.op === 'update') {
    return update(context, tx, place, collection, row, operation.content.data);
  }
  await deleteRecord(tx, collection.id, row.id);
  await account(context, tx, place, collection.id, row, { records: -1, bytes: -row.size - RECORD_OVERHEAD });
  return { type: 'deleted', row };
}

/** A record that somebody adds to a collection. */
interface NewRecord {
  place: InCollection;
  content: SerializedData;
}

/** Adds records to one collection, each for the caller of its own place. */
async function create(
  context: WriteContext,
  tx: Tx,
  place: InCollection,
  records: NewRecord[],
): Promise<Created[]> {
  const collection = await ensureCollection(tx, place);
  const now = context.now();
  const changes = records.map((record): Created => {
    const { content, place } = record;
    assertValid(collection, content.data, 'whole record');
    const row = toRow(place, content, now);
    return { type: 'created', record: toRecord(row, content.data, place), row };
  });
  await context.insertRecords(
    tx,
    collection.id,
    changes.map(({ row }) => row),
  );
  await accountForNew(context, tx, place, collection.id, changes);
  return changes;
}

function toRow({ actor, username }: InCollection, { text, size }: SerializedData, now: number): RecordRow {
  if (!actor) throw new Error('somebody who is not logged in was let in to write');
  return {
    id: Bun.randomUUIDv7('hex', now),
    text,
    size,
    created_by: actor.userId,
    username,
    created_at: now,
    updated_at: now,
  };
}

async function update(
  context: WriteContext,
  tx: Tx,
  place: InCollection,
  collection: CollectionRow,
  row: RecordRow,
  change: RecordData,
): Promise<Change> {
  assertValid(collection, change, 'change');
  const data = { ...(JSON.parse(row.text) as RecordData), ...change };
  const { text, size } = serializeData(data);
  const changed = { ...row, text, size, updated_at: context.now() };
  await updateRecord(tx, collection.id, row.id, { text, size, now: changed.updated_at });
  await account(context, tx, place, collection.id, row, { records: 0, bytes: size - row.size });
  return { type: 'updated', record: toRecord(changed, data, place), row: changed };
}

/** Counts new records, once for each user that they count for, and charges the page's owner for all of them. */
async function accountForNew(
  context: WriteContext,
  tx: Tx,
  place: InCollection,
  collectionId: number,
  changes: Created[],
): Promise<void> {
  const counts = new Map<number, { records: number; bytes: number }>();
  for (const { row } of changes) {
    const userId = countedFor(place.storageType, row.created_by);
    const { records, bytes } = counts.get(userId) ?? { records: 0, bytes: 0 };
    counts.set(userId, { records: records + 1, bytes: bytes + row.size + RECORD_OVERHEAD });
  }
  const now = context.now();
  let total = 0;
  for (const [userId, added] of counts) {
    await addToCounts(tx, collectionId, userId, { ...added, now });
    total += added.bytes;
  }
  // If this fails for several callers, each of them tries again alone and gets the error meant for them.
  await context.chargeUsage(tx, place.page.owner_id, { bytes: total }, place.actor?.userId);
}

/** Counts the change, and charges the page's owner for the bytes it adds. */
async function account(
  context: WriteContext,
  tx: Tx,
  place: InCollection,
  collectionId: number,
  row: RecordRow,
  change: { records: number; bytes: number },
): Promise<void> {
  const userId = countedFor(place.storageType, row.created_by);
  await addToCounts(tx, collectionId, userId, { ...change, now: context.now() });
  if (change.bytes === 0) return;
  await context.chargeUsage(tx, place.page.owner_id, { bytes: change.bytes }, place.actor?.userId);
}

function assertValid(collection: CollectionRow, data: RecordData, kind: 'whole record' | 'change'): void {
  if (collection.schema === null) return;
  const faults = faultsOf(JSON.parse(collection.schema) as CollectionSchema, data, kind);
  if (faults.length === 0) return;
  const sentence = faults.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw new AppError('VALIDATION_FAILED', `${sentence}.`, { details: faults });
}
