import type { ChargeUsage } from '../accounts/index.ts';
import type { Events } from '../events/index.ts';
import { AppError, type EventStreams, type Route } from '../http/index.ts';
import { createKeyedQueue } from '../lib/queues.ts';
import type { PageRow, RemoveWithPage } from '../pages/index.ts';
import type { Storage } from '../storage/index.ts';
import { schemaBytes } from './collection-store.ts';
import { announceAccess, announceChange, type DataEvent } from './events.ts';
import { postgresJson } from './postgres-json.ts';
import { dataRoutes } from './routes.ts';
import { sqliteJson } from './sqlite-json.ts';
import { storedBytes } from './store.ts';

/** The one place that says who may do what with a page's data. */
export { type DataActor, demand, may } from './access.ts';
/** Schemas of collections, for agent specs and forks. */
export { copySchemas, type SchemaEntry, schemasOf } from './define.ts';
/** What is told to those who follow a page's data. */
export type { DataEvent } from './events.ts';
/** A collection's schema on the wire. */
export { SchemaResponse } from './schema.ts';

/** The data of pages: collections of records. */
export interface Data {
  routes: Route[];
  /** To be called when a page, or who may see it, has changed. */
  accessChanged(pageId: number): void;
}

export function createData(options: {
  storage: Storage;
  now: () => number;
  chargeUsage: ChargeUsage;
  events: Events<DataEvent>;
  streams: EventStreams;
  findPageByIdOrSlug(idOrSlug: string): Promise<PageRow | undefined>;
}): Data {
  const { storage, events } = options;
  return {
    routes: dataRoutes({
      ...options,
      db: storage.db,
      slowDb: storage.slowDb,
      commit: storage.commit,
      inTurn: createKeyedQueue({ maxWaiting: 150, refused: tooManyQueries }),
      json: storage.engine === 'sqlite' ? sqliteJson : postgresJson,
      announce: (place, change) => announceChange(events, place, change),
    }),
    accessChanged: (pageId) => announceAccess(events, pageId),
  };
}

function tooManyQueries(): AppError {
  return new AppError('UNAVAILABLE', 'Too many large queries of this page at once. Try again in a moment.', {
    headers: { 'retry-after': '2' },
  });
}

/** Tells what a page's records and schemas took up; they go with its row. */
export const freeRecords: RemoveWithPage = async (tx, page) =>
  (await storedBytes(tx, page.id)) + (await schemaBytes(tx, page.id));
