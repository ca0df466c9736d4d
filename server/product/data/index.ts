import { AppError } from '../../lib/errors.ts';
import { createKeyedQueue } from '../../lib/queues.ts';
import type { Events } from '../../platform/coordination/events/index.ts';
import type { EventStreams, Route } from '../../platform/http/index.ts';
import type { PageRow, Storage, Tx } from '../../platform/storage/index.ts';
import type { ChargeUsage, PageDirectory } from '../ports.ts';
import { type AccessReader, createAccessReader } from './collections/access-reader.ts';
import { schemaBytes } from './collections/store.ts';
import { announceAccess, announceChange, type DataEvent } from './live/events.ts';
import { StoredRecords } from './privacy/stored.ts';
import { postgresJson } from './queries/postgres-json.ts';
import { sqliteJson } from './queries/sqlite-json.ts';
import { storedBytes } from './records/count-store.ts';
import { emptyPage } from './records/empty.ts';
import { postgresWrites, sqliteWrites } from './records/write-store.ts';
import { dataRoutes } from './routes.ts';

/** Checks access to the files of a team. */
export { demandFileAccess } from './access/access.ts';
/** The access of a person to the collections of a page, for its MCP server. */
export { describeToolAccess } from './collections/access-reader.ts';
/** Schemas of collections, for agent specs and forks. */
export { copySchemas, readSchemas, type SchemaEntry } from './collections/define.ts';
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
  /** The records that users have stored, on any page. */
  stored: StoredRecords;
  /** Deletes most records of a page before it is deleted, some at a time. */
  empty(page: PageRow): Promise<void>;
}

export function createData(options: {
  storage: Storage;
  now: () => number;
  chargeUsage: ChargeUsage;
  events: Events<DataEvent>;
  streams: EventStreams;
  pages: PageDirectory;
}): Data {
  const { storage, events } = options;
  const isSqlite = storage.engine === 'sqlite';
  return {
    routes: dataRoutes({
      ...options,
      db: storage.db,
      slowDb: storage.slowDb,
      commit: storage.commit,
      inTurn: createKeyedQueue({ maxWaiting: 150, refused: tooManyQueries }),
      json: isSqlite ? sqliteJson : postgresJson,
      writes: isSqlite ? sqliteWrites : postgresWrites,
      announce: (target, change) => announceChange(events, target, change),
      rulesChanged: ({ page, collection }) => announceAccess(events, page.id, collection),
    }),
    accessChanged: (pageId) => announceAccess(events, pageId),
    readAccess: createAccessReader(storage.db),
    empty: (page) => emptyPage({ ...options, db: storage.db }, page),
    stored: new StoredRecords({
      ...options,
      db: storage.db,
      commit: storage.commit,
      findPage: (db, id) => options.pages.find(db, String(id)),
      announce: (target, change) => announceChange(events, target, change),
    }),
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
export async function freeRecords(tx: Tx, page: { id: number }): Promise<number> {
  return (await storedBytes(tx, page.id)) + (await schemaBytes(tx, page.id));
}
