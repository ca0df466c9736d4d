import type { Rules } from '../../../../contract/data/collection-rules.ts';
import type { CollectionSchema } from '../../../../contract/data/collection-schema.ts';
import { findFaults } from '../../../../contract/data/record-faults.ts';
import type { RecordResponse } from '../../../../contract/data/records.ts';
import type { RecordData } from '../../../../contract/rules/record-data.ts';
import { badRequest, notFound } from '../../../lib/errors.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import { demandAccess, type InCollection } from '../access/data-target.ts';
import { countedFor, ensureCollection, lookUpCollection, parseRules } from '../collections/collection.ts';
import type { CollectionRow } from '../collections/store.ts';
import { type IndexedChange, noteIndexed } from '../indexes/maintain.ts';
import { type CountContext, countChanged, countDeleted, countNew } from './counts.ts';
import { type SerializedData, serializeData } from './record-data.ts';
import type { RecordRow } from './store.ts';
import { toRecord } from './wire.ts';
import type { RecordWrites } from './write-store.ts';

/** The part of a write inside its transaction, which checks access. */

/** The result of a write, for followers of the collection. */
export type Change =
  | Created
  | ({ type: 'updated'; record: RecordResponse; row: RecordRow; before: RecordRow } & Ruled)
  | ({ type: 'deleted'; row: RecordRow; at: number } & Ruled);

interface Created extends Ruled {
  type: 'created';
  record: RecordResponse;
  row: RecordRow;
}

interface Ruled {
  /** The rules of the collection at the time of the write. */
  rules: Rules | undefined;
}

export interface ChangeContext extends CountContext {
  /** The time for a change of a page's data. */
  readTime(pageId: number): number;
  writes: RecordWrites;
}

/** An operation whose data has passed all checks that need no database. */
export type CheckedOperation =
  | { op: 'create'; content: SerializedData }
  | { op: 'update' | 'replace'; id: string; content: SerializedData }
  | { op: 'delete'; id: string };

/** Does one operation. */
export async function applyOperation(
  context: ChangeContext,
  tx: Tx,
  target: InCollection,
  operation: CheckedOperation,
): Promise<Change> {
  if (operation.op === 'create') {
    const [change] = await insertNew(context, tx, target, [{ target, content: operation.content }]);
    return change as Change;
  }
  const action = operation.op === 'delete' ? 'delete' : 'update';
  const collection = await lookUpCollection(tx, target);
  const rules = parseRules(collection);
  // Check before the record is looked up, so that the response does not reveal whether it exists.
  demandAccess(target, action, { rules });
  const row = collection && (await context.writes.lock(tx, collection.id, operation.id));
  if (!row) throw notFound('This record was not found.');
  demandAccess(target, action, { rules, record: row });
  if (operation.op !== 'delete') return change(context, tx, { target, collection, row }, operation);
  return removeExisting(context, tx, { target, collection, row });
}

/** An existing record, locked, with its collection and who changes it. */
export interface Existing {
  target: InCollection;
  collection: CollectionRow;
  row: RecordRow;
}

/** Deletes a record. */
export async function removeExisting(context: ChangeContext, tx: Tx, existing: Existing): Promise<Change> {
  const { target, collection, row } = existing;
  const now = context.readTime(target.page.id);
  await context.writes.remove(tx, collection.id, row, { now, by: target.actor?.userId ?? null });
  await noteChanges(context, tx, existing, () => [{ ...row, before: toData(row) }]);
  await countDeleted(context, tx, { target, collectionId: collection.id, row });
  return { type: 'deleted', row, at: now, rules: parseRules(collection) };
}

/** A record that somebody adds to a collection. */
interface NewRecord {
  target: InCollection;
  content: SerializedData;
}

/** Adds records to one collection, each for the caller of its own target. */
export async function insertNew(
  context: ChangeContext,
  tx: Tx,
  target: InCollection,
  records: NewRecord[],
): Promise<Created[]> {
  const collection = await ensureCollection(tx, target);
  const rules = parseRules(collection);
  const now = context.readTime(target.page.id);
  const changes = records.map((record): Created => {
    const { content, target } = record;
    demandAccess(target, 'create', { rules });
    assertValid(collection, content.data, 'whole record');
    const row = toRow(target, content, now);
    return { type: 'created', record: toRecord(row, content.data, target), row, rules };
  });
  const rows = changes.map(({ row }) => row);
  await context.writes.insert(tx, collection.id, rows);
  await noteChanges(context, tx, { target, collection }, () =>
    changes.map(({ row, record }) => ({ ...row, after: record.data })),
  );
  await countNew(context, tx, target, collection.id, rows);
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
  context: ChangeContext,
  tx: Tx,
  existing: Existing,
  { op, content }: Extract<CheckedOperation, { op: 'update' | 'replace' }>,
): Promise<Change> {
  const { collection, row } = existing;
  assertValid(collection, content.data, op === 'replace' ? 'whole record' : 'change');
  const data = op === 'replace' ? content.data : merge(JSON.parse(row.text) as RecordData, content.data);
  return storeData(context, tx, existing, op === 'replace' ? content : serializeData(data));
}

/** Stores new data of a record. */
export async function storeData(
  context: ChangeContext,
  tx: Tx,
  { target, collection, row }: Existing,
  { data, text, size }: SerializedData,
): Promise<Change> {
  const now = context.readTime(target.page.id);
  const by = target.actor?.userId ?? null;
  const changed = { ...row, text, size, updated_at: now };
  await context.writes.update(tx, collection.id, row, { text, size, now, by });
  await noteChanges(context, tx, { target, collection }, () => [
    { ...row, before: toData(row), after: data },
  ]);
  await countChanged(context, tx, { target, collectionId: collection.id, row }, size - row.size);
  return {
    type: 'updated',
    record: toRecord(changed, data, target),
    row: changed,
    before: row,
    rules: parseRules(collection),
  };
}

/** Changes the indexes of a collection, if it has some. */
export function noteChanges(
  { writes }: Pick<ChangeContext, 'writes'>,
  tx: Tx,
  { target, collection }: Pick<Existing, 'target' | 'collection'>,
  changes: () => Array<Omit<IndexedChange, 'userId'> & { created_by: number }>,
): Promise<void> {
  return noteIndexed(writes.indexes, tx, collection, () =>
    changes().map((each) => ({ ...each, userId: countedFor(target.storageType, each.created_by) })),
  );
}

const toData = ({ text }: RecordRow) => JSON.parse(text) as RecordData;

/** Merges a change into data. A field that is set to null is removed. */
function merge(before: RecordData, change: RecordData): RecordData {
  const data = { ...before, ...change };
  for (const [name, value] of Object.entries(change)) if (value === null) delete data[name];
  return data;
}

/** Fails if data does not match the schema of its collection. */
export function assertValid(
  collection: CollectionRow,
  data: RecordData,
  kind: 'whole record' | 'change',
): void {
  if (collection.schema === null) return;
  const faults = findFaults(JSON.parse(collection.schema) as CollectionSchema, data, kind);
  if (faults.length === 0) return;
  throw badRequest(faults, 'VALIDATION_FAILED');
}
