import { setImmediate } from 'node:timers/promises';
import type { CollectionSchema } from '../../../../contract/data/collection-schema.ts';
import type { RecordData } from '../../../../contract/rules/record-data.ts';
import { type Db, type GroupCommit, keepRows, type PageRow } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { countColumnBytes } from '../collections/define.ts';
import {
  findCollection,
  findCollectionById,
  insertCollection,
  listStoredCollections,
  type StoredCollection,
  setSchema,
} from '../collections/store.ts';
import { assertKept } from '../history/assert-kept.ts';
import { setLogFrom } from '../history/size-store.ts';
import { findPastSchema, listPast } from '../history/state-store.ts';
import { listGone, lockCopies } from '../log/gone-store.ts';
import type { ChangeContext } from '../records/changes.ts';
import { countNew } from '../records/counts.ts';
import type { RecordRow } from '../records/store.ts';
import { maskData } from './mask.ts';
import { findFirstId } from './store.ts';

/** Records that are copied in one transaction. */
const PIECE = 500;
/** Bytes that are read at a time, about. */
const PIECE_BYTES = 4 * 1024 * 1024;

export interface CopyOrder {
  at: number;
  data: 'all' | 'schema' | 'masked';
  /** Makes the same masked text of the same text, in this branch only. */
  salt: string;
  charge: ChargeUsage;
  signal?: AbortSignal;
}

export interface CopyContext extends ChangeContext {
  db: Db;
  slowDb: Db;
  commit: GroupCommit;
  /** Called once other indexes of a collection are committed. */
  indexesChanged(): void;
}

/**
 * Copies the collections of a page as they were at a time to a branch: schemas, rules and records, of private records only
 * those of the page's owner. Records are read as they were then, so that changes of the page need not wait. If it was
 * interrupted, it can be run again. Fails once the log no longer says what they were.
 */
export async function copyRecords(
  given: CopyContext,
  main: PageRow,
  branch: PageRow,
  order: CopyOrder,
): Promise<void> {
  const context = { ...given, chargeUsage: order.charge };
  for (const collection of await listStoredCollections(context.db, main.id)) {
    const { name, storage_type } = collection;
    const to = await context.commit.run(async (tx) => {
      if ((await keepRows(tx, 'pages', [branch.id])).size === 0) return undefined;
      return (
        (await findCollection(tx, branch.id, storage_type, name)) ??
        insertCollection(tx, branch.id, storage_type, name)
      );
    });
    if (!to) return;
    const columns = await readColumns(context.db, collection, order.at);
    await assertKept(context.db, collection.id, order.at);
    if (order.data !== 'schema') await copyAll(context, { collection, to, branch, columns, main }, order);
    // Last, so that the indexes are built once all records are there.
    await context.commit.run(async (tx) => {
      if ((await keepRows(tx, 'pages', [branch.id])).size === 0) return;
      const present = await findCollection(tx, branch.id, storage_type, name);
      if (!present || present.schema === columns.schema) return;
      const bytes = countColumnBytes(columns) - countColumnBytes(present);
      if (bytes !== 0) await context.chargeUsage(tx, branch.owner_id, { bytes });
      await setSchema(tx, to.id, { ...columns, now: context.now() });
    });
    await context.commit.run((tx) => setLogFrom(tx, [to.id], context.readTime(branch.id)));
  }
  context.indexesChanged();
}

interface Copied {
  collection: StoredCollection;
  to: { id: number };
  main: PageRow;
  branch: PageRow;
  columns: { schema: string | null; rules: string | null };
}

async function copyAll(context: CopyContext, copied: Copied, order: CopyOrder): Promise<void> {
  const { collection, to, main, columns } = copied;
  const schema = columns.schema === null ? undefined : (JSON.parse(columns.schema) as CollectionSchema);
  // The latest records come first, so what is there after an interruption ends with the earliest.
  let after = await findFirstId(context.db, to.id);
  for (let limit = 100; ; ) {
    order.signal?.throwIfAborted();
    const rows = await listPast(context.slowDb, collection.id, order.at, {
      limit,
      ...(after !== undefined && { after }),
    });
    await assertKept(context.db, collection.id, order.at);
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    const own = rows.filter(
      ({ created_by }) => collection.storage_type !== 'solo_data' || created_by === main.owner_id,
    );
    const wanted = order.data === 'masked' ? own.map((row) => mask(row, schema, order.salt)) : own;
    if (wanted.length > 0) await insertPiece(context, copied, wanted);
    const average = rows.reduce((sum, { size }) => sum + size, 0) / rows.length;
    limit = Math.max(1, Math.min(PIECE, Math.floor(PIECE_BYTES / Math.max(1, average))));
    // SQLite answers without waiting, so other requests get a turn only here.
    await setImmediate();
  }
}

async function insertPiece(
  context: CopyContext,
  { collection, to, branch, main }: Copied,
  rows: RecordRow[],
): Promise<void> {
  await context.commit.run(
    async (tx) => {
      await lockCopies(tx, main);
      if ((await keepRows(tx, 'pages', [branch.id])).size === 0) throw new Error('the branch is gone');
      const ids = rows.map(({ id }) => id);
      const gone = await listGone(tx, [collection.id], ids);
      const left = rows.filter(({ id }) => !gone.has(id));
      if (left.length === 0) return;
      await context.writes.insertCopies(tx, to.id, left);
      const target = {
        page: branch,
        storageType: collection.storage_type,
        collection: collection.name,
        actor: undefined,
        username: '',
      };
      await countNew(context, tx, target, to.id, left);
    },
    { alone: true },
  );
}

function mask(row: RecordRow, schema: CollectionSchema | undefined, salt: string): RecordRow {
  const text = JSON.stringify(maskData(JSON.parse(row.text) as RecordData, schema, salt));
  return { ...row, text, size: Buffer.byteLength(text) };
}

/** The schema and rules of a collection at a time. */
async function readColumns(db: Db, { id }: StoredCollection, at: number) {
  const past = await findPastSchema(db, id, at);
  if (past) return past;
  const present = await findCollectionById(db, id);
  return { schema: present?.schema ?? null, rules: present?.rules ?? null };
}
