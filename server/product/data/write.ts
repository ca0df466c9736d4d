import type { CollectionSchema } from '../../../contract/collection-schema.ts';
import type { RuledAction, Rules } from '../../../contract/data/collection-rules.ts';
import type { Operation, RecordResponse } from '../../../contract/records.ts';
import type { RecordData } from '../../../contract/rules/record-data.ts';
import { faultsOf } from '../../../contract/rules/record-faults.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import type { Db, GroupCommit, Tx } from '../../platform/storage/index.ts';
import { actionsOf, may } from './access.ts';
import { countedFor, ensureCollection, lookUpCollection, rulesOf } from './collections/collection.ts';
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
  | ({ type: 'updated'; record: RecordResponse; row: RecordRow } & Ruled)
  | ({ type: 'deleted'; row: RecordRow } & Ruled);

interface Created extends Ruled {
  type: 'created';
  record: RecordResponse;
  row: RecordRow;
}

interface Ruled {
  /** The rules of the collection at the time of the write. */
  rules: Rules | undefined;
}

/** What writing needs. */
export interface WriteContext {
  db: Db;
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
  await refuseEarly(context, place, 'create');
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
  await refuseEarly(context, place, 'update');
  const [result] = await write(context, place, [{ op: 'update', id, data }]);
  return result?.record as RecordResponse;
}

export async function replaceRecord(
  context: WriteContext,
  place: InCollection,
  id: string,
  data: unknown,
): Promise<RecordResponse> {
  await refuseEarly(context, place, 'update');
  const [result] = await write(context, place, [{ op: 'replace', id, data }]);
  return result?.record as RecordResponse;
}

export async function removeRecord(context: WriteContext, place: InCollection, id: string): Promise<void> {
  await refuseEarly(context, place, 'delete');
  await write(context, place, [{ op: 'delete', id }]);
}

/** Does all of the operations or none. An error says which one failed. */
export async function runBatch(context: WriteContext, place: InCollection, operations: Operation[]) {
  const { actor, storageType } = place;
  const rules = rulesOf(await lookUpCollection(context.db, place));
  const allowed = actionsOf(actor, { storageType, rules });
  // Refused even if there is nothing to do: otherwise an empty batch would reveal something to a viewer.
  const canWrite = allowed.has('create') || allowed.has('update') || allowed.has('delete');
  if (!canWrite) demandAccess(place, 'create', { rules });
  return write(context, place, operations, atIndex);
}

/**
 * Refuses without a transaction what neither the mode nor the rules allow, so that strangers do not take up writers.
 * The transaction decides: it asks the rules again.
 */
async function refuseEarly(context: WriteContext, place: InCollection, action: RuledAction): Promise<void> {
  const { actor, storageType } = place;
  if (may(actor, action, undefined, { storageType }) === 'allowed') return;
  demandAccess(place, action, { rules: rulesOf(await lookUpCollection(context.db, place)) });
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
      return check(operation);
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
function check(operation: Operation): Checked {
  return operation.op === 'delete' ? operation : { ...operation, content: checkData(operation.data) };
}

type Checked =
  | { op: 'create'; content: SerializedData }
  | { op: 'update' | 'replace'; id: string; content: SerializedData }
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
  const action = operation.op === 'delete' ? 'delete' : 'update';
  const collection = await lookUpCollection(tx, place);
  const rules = rulesOf(collection);
  // Before the record is looked up, so that the answer does not say whether it exists.
  demandAccess(place, action, { rules });
  const row = collection && (await lockRecord(tx, collection.id, operation.id));
  if (!row) throw notFound('This record');
  demandAccess(place, action, { rules, record: row });
  if (operation.op !== 'delete') return change(context, tx, place, collection, row, operation);
  await deleteRecord(tx, collection.id, row.id);
  await account(context, tx, place, collection.id, row, { records: -1, bytes: -row.size - RECORD_OVERHEAD });
  return { type: 'deleted', row, rules };
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
  const rules = rulesOf(collection);
  const now = context.now();
  const changes = records.map((record): Created => {
    const { content, place } = record;
    demandAccess(place, 'create', { rules });
    assertValid(collection, content.data, 'whole record');
    const row = toRow(place, content, now);
    return { type: 'created', record: toRecord(row, content.data, place), row, rules };
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

/** Replaces the data of a record, or merges a change into it. */
async function change(
  context: WriteContext,
  tx: Tx,
  place: InCollection,
  collection: CollectionRow,
  row: RecordRow,
  { op, content }: Extract<Checked, { op: 'update' | 'replace' }>,
): Promise<Change> {
  assertValid(collection, content.data, op === 'replace' ? 'whole record' : 'change');
  const data = op === 'replace' ? content.data : merge(JSON.parse(row.text) as RecordData, content.data);
  const { text, size } = op === 'replace' ? content : serializeData(data);
  const changed = { ...row, text, size, updated_at: context.now() };
  await updateRecord(tx, collection.id, row.id, { text, size, now: changed.updated_at });
  await account(context, tx, place, collection.id, row, { records: 0, bytes: size - row.size });
  return {
    type: 'updated',
    record: toRecord(changed, data, place),
    row: changed,
    rules: rulesOf(collection),
  };
}

/** A field that is set to null is removed. */
function merge(before: RecordData, change: RecordData): RecordData {
  const data = { ...before, ...change };
  for (const [name, value] of Object.entries(change)) if (value === null) delete data[name];
  return data;
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
