import { setImmediate } from 'node:timers/promises';
import { SchemaBody } from '../../../../contract/data/collection-schema.ts';
import { findStorageType, type StorageType } from '../../../../contract/rules/storage-modes.ts';
import { AppError } from '../../../lib/errors.ts';
import { type Db, keepRows, type PageRow, type Tx } from '../../../platform/storage/index.ts';
import type { CollectionContent } from '../../merge-ports.ts';
import type { ChargeUsage } from '../../ports.ts';
import type { InCollection } from '../access/data-target.ts';
import { ensureCollection } from '../collections/collection.ts';
import { assertSchemaBytes, changeSchema, countColumnBytes } from '../collections/define.ts';
import {
  findCollection,
  findCollectionById,
  listStoredCollections,
  schemaBytes,
} from '../collections/store.ts';
import { bringBack } from '../history/bring-back.ts';
import { findPastSchema } from '../history/state-store.ts';
import { listGone, lockCopies } from '../log/gone-store.ts';
import type { Change } from '../records/changes.ts';
import { serializeData } from '../records/record-data.ts';
import type { RecordRow } from '../records/store.ts';
import { limitPiece, sendChanges, type WriteContext } from '../records/write.ts';
import type { CopyContext } from './copy-records.ts';
import { listDiffering, readRecords, readRecordsAt } from './merge-store.ts';

/** Records that are compared at a time. */
const PIECE = 200;
/** How long a transaction goes on with records: others wait. */
const BUDGET_MS = 8;

export interface MergeContext extends CopyContext, Pick<WriteContext, 'triggers'> {
  chargeWithoutQuota: ChargeUsage;
  findPage(db: Db, id: number): Promise<PageRow | undefined>;
  announce(target: InCollection, change: Change): void;
  rulesChanged(target: InCollection): void;
}

/** A page at a time; without one, as it is. */
export interface PageAt {
  pageId: number;
  at?: number;
}

/** The three sides of a comparison. */
export interface ThreeSides {
  base: PageAt;
  branch: PageAt;
  main: PageAt;
}

/** A record that the branch and its page have differently. What is undefined was not there. */
export interface DifferingRecord {
  id: string;
  base: RecordRow | undefined;
  branch: RecordRow | undefined;
  main: RecordRow | undefined;
}

/** Schemas and rules by collection, as they shall be and as they were when that was decided. */
export interface WantedCollections {
  wanted: ReadonlyMap<string, CollectionContent>;
  current: ReadonlyMap<string, CollectionContent>;
}

/** What a record shall become: other data, what it is on one side, or nothing. */
export type Decided = { row: RecordRow | undefined } | { data: Record<string, unknown>; row: RecordRow };

/** The kind of data that is merged. The private records of visitors belong to them. */
export function findMergedType(page: PageRow): StorageType | undefined {
  const type = findStorageType(page.storage_mode);
  return type === 'solo_data' ? undefined : type;
}

/** The collections of a page at a time, by name. */
export async function readCollections(
  { db }: { db: Db },
  type: StorageType,
  { pageId, at }: PageAt,
): Promise<Map<string, CollectionContent>> {
  const found = new Map<string, CollectionContent>();
  for (const { id, name, storage_type } of await listStoredCollections(db, pageId)) {
    if (storage_type !== type) continue;
    const past = at === undefined ? undefined : await findPastSchema(db, id, at);
    const { schema = null, rules = null } = past ?? (await findCollectionById(db, id)) ?? {};
    found.set(name, { schema, rules });
  }
  return found;
}

/**
 * Records that differ between a branch and its page, after an id, in the order of their ids. What was deleted for good on
 * one side counts as deleted there since the base, whatever the base was, so nothing brings it back.
 */
export async function* eachDiffering(
  { db, slowDb }: Pick<MergeContext, 'db' | 'slowDb'>,
  { type, name }: { type: StorageType; name: string },
  { base, branch, main }: ThreeSides,
  after = '',
): AsyncGenerator<DifferingRecord[]> {
  const find = async ({ pageId }: PageAt) => (await findCollection(db, pageId, type, name))?.id ?? NONE;
  const [of, one, other] = [await find(base), await find(branch), await find(main)];
  const read = (collectionId: number, { at }: PageAt, ids: string[]) =>
    at === undefined ? readRecords(db, collectionId, ids) : readRecordsAt(db, collectionId, ids, at);
  for (let from = after; ; ) {
    const ids = await listDiffering(slowDb, { one, other }, from, PIECE);
    const last = ids.at(-1);
    if (last === undefined) return;
    const [was, ours, theirs] = [
      await read(of, base, ids),
      await read(one, branch, ids),
      await read(other, main, ids),
    ];
    const gone = new Set([
      ...(await listGone(db, [one], listMissing(ids, ours))),
      ...(await listGone(db, [other], listMissing(ids, theirs))),
    ]);
    yield ids.map((id) => {
      const [ourRow, theirRow] = [ours.get(id), theirs.get(id)];
      const base = gone.has(id) ? (ourRow ?? theirRow) : was.get(id);
      return { id, base, branch: ourRow, main: theirRow };
    });
    from = last;
    // SQLite answers without waiting, so other requests get a turn only here.
    await setImmediate();
  }
}

const listMissing = (ids: readonly string[], rows: ReadonlyMap<string, RecordRow>) =>
  ids.filter((id) => !rows.has(id));

/** The id of no collection. */
const NONE = 0;

/**
 * Sets the schemas and rules of a page's collections that differ from the current ones, in the transaction of a merge.
 * Undefined if somebody has changed one of them meanwhile.
 */
export async function applyCollections(
  context: MergeContext,
  tx: Tx,
  page: PageRow,
  { wanted, current }: WantedCollections,
  by: number,
): Promise<(() => void) | undefined> {
  const type = findMergedType(page);
  const ruled: InCollection[] = [];
  for (const [name, next] of type ? wanted : []) {
    if (!type) break;
    const was = current.get(name) ?? NOTHING;
    if (isSame(was, next)) continue;
    const present = await findCollection(tx, page.id, type, name);
    if (!isSame(was, present ?? NOTHING)) return undefined;
    if (!present && next.schema === null) continue;
    assertValid(name, next);
    const target = toTarget(page, type, name, by);
    const collection = present ?? (await ensureCollection(tx, target));
    const bytes = countColumnBytes(next) - countColumnBytes(collection);
    if (bytes !== 0) await context.chargeUsage(tx, page.owner_id, { bytes });
    if (bytes > 0) assertSchemaBytes((await schemaBytes(tx, page.id)) + bytes);
    await changeSchema(context, tx, target, { present: collection, next });
    if (collection.rules !== next.rules) ruled.push(target);
  }
  return () => {
    context.indexesChanged();
    for (const target of ruled) context.rulesChanged(target);
  };
}

const NOTHING: CollectionContent = { schema: null, rules: null };

const isSame = (one: CollectionContent, other: CollectionContent) =>
  one.schema === other.schema && one.rules === other.rules;

/** Two schemas that are valid can make one that is not, for example with an index on a field that is gone. */
function assertValid(collection: string, { schema, rules }: CollectionContent): void {
  if (schema === null) return;
  const merged = { ...JSON.parse(schema), ...(rules !== null && { rules: JSON.parse(rules) }) };
  if (SchemaBody.safeParse({ schema: merged }).success) return;
  throw new AppError(
    'CONFLICT',
    'The merged schema of {collection} would not be valid, for example because it has an index on a field that is gone. Change it on one side, or take it from one.',
    { collection },
  );
}

const toTarget = (
  page: PageRow,
  storageType: StorageType,
  collection: string,
  by: number,
  username = '',
): InCollection => ({
  ...{ page, storageType, collection },
  ...{ actor: { userId: by, role: 'owner' as const }, username },
});

interface ApplyOptions {
  /** The page of the other side. */
  from: Pick<PageRow, 'id'>;
  by: { id: number; username: string };
  signal?: AbortSignal;
  /** Called in each transaction: if it fails, nothing more is changed. */
  admit?: ((tx: Tx) => Promise<void>) | undefined;
}

interface Some extends Pick<ApplyOptions, 'from' | 'admit'> {
  target: InCollection;
  waiting: ReadonlyArray<[string, Decided]>;
}

/**
 * Changes the records of a page to what was decided, a few in each transaction, which sends them to functions. It can be
 * run again.
 */
export async function applyRecords(
  given: MergeContext,
  page: PageRow,
  { type, name }: { type: StorageType; name: string },
  decided: ReadonlyMap<string, Decided>,
  { from, by, signal, admit }: ApplyOptions,
): Promise<void> {
  // A merge must not end in the middle because of the quota.
  const context = { ...given, chargeUsage: given.chargeWithoutQuota };
  const waiting = [...decided];
  while (waiting.length > 0) {
    signal?.throwIfAborted();
    // It may have got triggers since it was read.
    const present = (await context.findPage(context.db, page.id)) ?? page;
    const target = toTarget(present, type, name, by.id, by.username);
    let handled = 0;
    const work = async (tx: Tx) => {
      const some = await applySome(context, tx, { target, from, waiting, admit });
      handled = some.handled;
      return some.changes;
    };
    const changes = await context.commit.run(
      (tx) => sendChanges(context, tx, [target], () => work(tx), { isUnlimited: true }),
      { alone: true },
    );
    waiting.splice(0, handled);
    for (const change of changes) context.announce(target, change);
    await setImmediate();
  }
}

async function applySome(
  context: MergeContext,
  tx: Tx,
  { target, from, waiting, admit }: Some,
): Promise<{ handled: number; changes: Change[] }> {
  const changes: Change[] = [];
  const { page, storageType, collection: name } = target;
  await lockCopies(tx, page);
  await admit?.(tx);
  if ((await keepRows(tx, 'pages', [page.id])).size === 0) return { handled: waiting.length, changes };
  const collection = await ensureCollection(tx, target);
  const other = await findCollection(tx, from.id, storageType, name);
  const sides = [collection.id, other?.id ?? NONE];
  const fits = limitPiece(target);
  const startedAt = performance.now();
  let handled = 0;
  for (const [id, wanted] of waiting) {
    if (performance.now() - startedAt > BUDGET_MS) break;
    const row = await context.writes.lock(tx, collection.id, id);
    const next = toRow(wanted);
    if (!fits(row?.text, next?.text)) break;
    handled++;
    // Its author may have deleted it since that was decided.
    if (!row && next && (await listGone(tx, sides, [id])).size > 0) continue;
    const change = await bringBack(context, tx, { target, collection, row }, next);
    if (change) changes.push(change);
  }
  return { handled, changes };
}

function toRow(wanted: Decided): RecordRow | undefined {
  if (!('data' in wanted)) return wanted.row;
  const { text, size } = serializeData(wanted.data as Parameters<typeof serializeData>[0]);
  return { ...wanted.row, text, size };
}
