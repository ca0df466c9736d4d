import { AppError } from '../../lib/errors.ts';
import type { Purge } from '../../lib/loops/sweeper.ts';
import { createKeyedQueue } from '../../lib/queues.ts';
import { addSizes, type Sizes, sizeAt } from '../../lib/sizes.ts';
import type { Events } from '../../platform/coordination/events/index.ts';
import type { EventStreams, Log, Route } from '../../platform/http/index.ts';
import type { Db, PageRow, Storage, Tx } from '../../platform/storage/index.ts';
import type { ChargeUsage, MomentKeeper, PageDirectory, RecordHistory, RecordTriggers } from '../ports.ts';
import type { InCollection } from './access/data-target.ts';
import { createRecordBranches, type RecordBranches } from './branches/record-branches.ts';
import { IndexBuilder } from './building/builder.ts';
import { type AccessReader, createAccessReader } from './collections/access-reader.ts';
import { readSchemas, type SchemaEntry } from './collections/define.ts';
import { measureSchemas } from './collections/store.ts';
import { createHistory } from './history/history.ts';
import { LogSweep } from './history/sweep.ts';
import { SlowReads } from './indexes/slow-reads.ts';
import { announceAccess, announceChange, type DataEvent } from './live/events.ts';
import { LOG_OVERHEAD } from './log/write-log.ts';
import { StoredRecords } from './privacy/stored.ts';
import { postgresJson } from './queries/postgres-json.ts';
import { sqliteJson } from './queries/sqlite-json.ts';
import type { Change } from './records/changes.ts';
import { measureRecords } from './records/count-store.ts';
import { emptyPage } from './records/empty.ts';
import { createWrites } from './records/write-store.ts';
import { dataRoutes } from './routes.ts';
import { postgresSearch, sqliteSearch } from './search/store.ts';

/** Checks access to the files of a team. */
export { demandFileAccess } from './access/access.ts';
/** The access of a person to the collections of a page, for its MCP server. */
export { describeToolAccess } from './collections/access-reader.ts';
/** Schemas of collections, for agent specs and forks. */
export { copySchemas, readSchemas, type SchemaEntry } from './collections/define.ts';
/** The bytes of the record logs of pages. */
export { measureLogs } from './history/size-store.ts';
/** The events for followers of a page's data. */
export type { DataEvent } from './live/events.ts';
/** Exports records. */
export { exportRecords } from './privacy/export.ts';
/** Whether a user has stored a record, on any page. */
export { hasRecords } from './privacy/store.ts';
/** The records of pages that strangers can read. */
export { readPublicRecords } from './records/public-changes.ts';

/** The data of pages: collections of records. */
export interface Data {
  routes: Route[];
  /** Call this when a page, or who can see it, has changed. */
  accessChanged(pageId: number): void;
  /** The access of a person to the data of a page. Undefined if the page stores no data. */
  readAccess: AccessReader;
  /** The schemas of a page for its owner, with the indexes that would make slow lists fast. */
  readOwnSchemas(pageId: number): Promise<SchemaEntry[]>;
  /** The records that users have stored, on any page. */
  stored: StoredRecords;
  /** Deletes most records of a page before it is deleted, some at a time. */
  empty(page: PageRow): Promise<void>;
  /** The records of pages over time. */
  history: RecordHistory;
  /** The records of branches. */
  branches: RecordBranches;
  /** Removes what is too old from the history, or too much for its owner. */
  purge: Purge;
  /** Stops building indexes. */
  stop(): Promise<void>;
}

interface DataOptions {
  storage: Storage;
  now: () => number;
  chargeUsage: ChargeUsage;
  chargeWithoutQuota: ChargeUsage;
  /** The quota of a user in bytes; null without a limit. */
  readQuota(userId: number): Promise<number | null>;
  events: Events<DataEvent>;
  streams: EventStreams;
  pages: PageDirectory;
  config: { historyDays: number };
  moments: MomentKeeper;
  /** The functions that get changes of records. They are started later. */
  triggers(): RecordTriggers;
  log: Pick<Log, 'warn'>;
}

export function createData(options: DataOptions): Data {
  const { storage, events } = options;
  const context = createContext(options);
  const { sweep, builder } = context;
  return {
    routes: dataRoutes({
      ...context,
      inTurn: createKeyedQueue({ maxWaiting: 150, refused: tooManyQueries }),
      json: storage.engine === 'sqlite' ? sqliteJson : postgresJson,
      words: storage.engine === 'sqlite' ? sqliteSearch : postgresSearch,
    }),
    accessChanged: (pageId) => announceAccess(events, pageId),
    readAccess: createAccessReader(storage.db),
    readOwnSchemas: (pageId) => readSchemas(storage.db, pageId, context.slowReads),
    empty: (page) => emptyPage(context, page),
    stored: new StoredRecords(context),
    history: createHistory(context),
    branches: createRecordBranches(context),
    purge: (isStopping) => sweep.purge(isStopping),
    stop: () => builder.stop(),
  };
}

/** What the parts of this folder share. */
function createContext(options: DataOptions) {
  const { storage, events, config, pages } = options;
  const { db, slowDb, commit } = storage;
  const findPage = (tx: Db, id: number) => pages.find(tx, String(id));
  const sweep = new LogSweep({ ...options, db, commit, findPage });
  const noteGrowth = (ownerId: number, bytes: number) => {
    if (config.historyDays > 0) sweep.noteGrowth(ownerId, bytes);
  };
  const writes = createWrites(storage.engine, config.historyDays > 0);
  const { engine } = storage;
  const builder = new IndexBuilder({ ...options, db, engine, commit, writes: writes.indexes });
  return {
    ...options,
    builder,
    db,
    slowDb,
    commit,
    sweep,
    writes,
    readTime: options.moments.readTime,
    findPage,
    noteGrowth,
    announce(target: InCollection, change: Change): void {
      announceChange(events, target, change);
      options.moments.noteChange(target.page.id);
      if (change.type !== 'created') noteGrowth(target.page.owner_id, change.row.size + LOG_OVERHEAD);
    },
    rulesChanged: ({ page, collection }: InCollection) => announceAccess(events, page.id, collection),
    slowReads: new SlowReads(),
    indexesChanged: () => builder.wake(),
    rebuildIndexes: (collectionId: number) => builder.rebuild(collectionId),
  };
}

function tooManyQueries(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'Too many large queries of this page at once. Try again in a moment.',
    {},
    {
      headers: { 'retry-after': '2' },
    },
  );
}

/** Returns the size of a page's records and schemas. They are deleted with its row. */
export const freeRecords = async (tx: Tx, { id }: { id: number }): Promise<number> =>
  sizeAt(await measureData(tx, [id]), id);

/** The bytes that pages are charged for their records and schemas. */
export const measureData = async (db: Db, pageIds: number[]): Promise<Sizes> =>
  addSizes(await measureRecords(db, pageIds), await measureSchemas(db, pageIds));
