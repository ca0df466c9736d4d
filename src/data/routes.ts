import type { Events } from '../events/index.ts';
import { type Actor, AppError, type EventStreams, type Route, route } from '../http/index.ts';
import { type PageRow, requirePage, roleOf } from '../pages/index.ts';
import { STORAGE_TYPES, type StorageType } from './access.ts';
import { putSchema, readSchema, removeSchema } from './define.ts';
import { type DataEvent, followRecords } from './follow.ts';
import { demandAccess, findPlace, type InCollection, inCollection, storageTypeOf } from './place.ts';
import { type ReadContext, readCollections, readCount, readRecord, readRecords } from './read.ts';
import {
  BATCH_BODY_LIMIT,
  BatchBody,
  BatchResponse,
  CollectionList,
  CountQuery,
  CountResponse,
  checkCollection,
  collectionParams,
  EventsQuery,
  ListQuery,
  pageParams,
  RECORD_BODY_LIMIT,
  RecordBody,
  RecordList,
  RecordResponse,
  recordParams,
  SchemaBody,
  SchemaResponse,
} from './schema.ts';
import { changeRecord, createRecord, removeRecord, runBatch, type WriteContext } from './write.ts';

export interface DataContext extends ReadContext, WriteContext {
  events: Events<DataEvent>;
  streams: EventStreams;
  findPageByIdOrSlug(idOrSlug: string): Promise<PageRow | undefined>;
}

export function dataRoutes(context: DataContext): Route[] {
  return [...STORAGE_TYPES.flatMap((storageType) => routesOf(context, storageType)), eventsRoute(context)];
}

/** The same routes for each kind of data. */
function routesOf(context: DataContext, storageType: StorageType): Route[] {
  const { db, commit } = context;
  const type = storageType.replace('_', '-');
  const name = storageType.replace('_data', '');
  const base = `/api/pages/:id/${type}`;
  const kind = storageType === 'social_data' ? 'open read' : 'visitor';
  const READ = { kind, scope: `${type}:read` } as const;
  const WRITE = { kind: 'visitor', scope: `${type}:write` } as const;

  const placeOf = async (id: string, actor: Actor | undefined) =>
    findPlace(db, await context.findPageByIdOrSlug(id), actor, storageType);
  const collectionOf = async (
    params: { id: string; collection: string },
    actor: Actor | undefined,
  ): Promise<InCollection> => inCollection(await placeOf(params.id, actor), params.collection);

  return [
    route({
      method: 'GET',
      path: base,
      access: READ,
      summary: `List the ${name} collections of a page`,
      params: pageParams,
      response: CollectionList,
      handle: async ({ params, actor }) => readCollections(context, await placeOf(params.id, actor)),
    }),
    route({
      method: 'GET',
      path: `${base}/:collection`,
      access: READ,
      summary: 'List records, by conditions and in an order of your choice',
      params: collectionParams,
      query: ListQuery,
      response: RecordList,
      handle: async ({ params, query, actor }) =>
        readRecords(context, await collectionOf(params, actor), query),
    }),
    route({
      method: 'POST',
      path: `${base}/:collection`,
      access: WRITE,
      summary: 'Add a record',
      params: collectionParams,
      body: RecordBody,
      bodyLimit: RECORD_BODY_LIMIT,
      status: 201,
      response: RecordResponse,
      handle: async ({ params, body, actor }) =>
        createRecord(context, await collectionOf(params, actor), body.data),
    }),
    route({
      method: 'GET',
      path: `${base}/:collection/count`,
      access: READ,
      summary: 'Count records, also by the values of a field',
      params: collectionParams,
      query: CountQuery,
      response: CountResponse,
      handle: async ({ params, query, actor }) =>
        readCount(context, await collectionOf(params, actor), query),
    }),
    route({
      method: 'POST',
      path: `${base}/:collection/batch`,
      access: WRITE,
      summary: 'Do up to 100 operations, all or none',
      params: collectionParams,
      body: BatchBody,
      bodyLimit: BATCH_BODY_LIMIT,
      response: BatchResponse,
      handle: async ({ params, body, actor }) => ({
        results: await runBatch(context, await collectionOf(params, actor), body.operations),
      }),
    }),
    route({
      method: 'GET',
      path: `${base}/:collection/schema`,
      access: READ,
      summary: "Read a collection's schema",
      params: collectionParams,
      response: SchemaResponse,
      handle: async ({ params, actor }) => readSchema(db, await collectionOf(params, actor)),
    }),
    route({
      method: 'PUT',
      path: `${base}/:collection/schema`,
      access: WRITE,
      summary: 'Set what records must look like from now on',
      params: collectionParams,
      body: SchemaBody,
      response: SchemaResponse,
      handle: async ({ params, body, actor }) =>
        putSchema(commit, await collectionOf(params, actor), body.schema),
    }),
    route({
      method: 'DELETE',
      path: `${base}/:collection/schema`,
      access: WRITE,
      summary: "Remove a collection's schema",
      params: collectionParams,
      status: 204,
      handle: async ({ params, actor }) => removeSchema(commit, await collectionOf(params, actor)),
    }),
    route({
      method: 'GET',
      path: `${base}/:collection/:recordId`,
      access: READ,
      summary: 'Read a record',
      params: recordParams,
      response: RecordResponse,
      handle: async ({ params, actor }) =>
        readRecord(context, await collectionOf(params, actor), params.recordId),
    }),
    route({
      method: 'PATCH',
      path: `${base}/:collection/:recordId`,
      access: WRITE,
      summary: 'Change the given fields of a record',
      params: recordParams,
      body: RecordBody,
      bodyLimit: RECORD_BODY_LIMIT,
      response: RecordResponse,
      handle: async ({ params, body, actor }) =>
        changeRecord(context, await collectionOf(params, actor), params.recordId, body.data),
    }),
    route({
      method: 'DELETE',
      path: `${base}/:collection/:recordId`,
      access: WRITE,
      summary: 'Delete a record',
      params: recordParams,
      status: 204,
      handle: async ({ params, actor }) =>
        removeRecord(context, await collectionOf(params, actor), params.recordId),
    }),
  ];
}

/** The scope that a token needs depends on the page, so it is looked at here and not in the gate. */
function eventsRoute(context: DataContext): Route {
  const { db } = context;
  return route({
    method: 'GET',
    path: '/api/pages/:id/events',
    access: { kind: 'open read' },
    summary: 'Follow what happens in collections (server-sent events)',
    params: pageParams,
    query: EventsQuery,
    async handle({ params, query, actor: caller, request }) {
      const page = await requirePage(db, await context.findPageByIdOrSlug(params.id), caller, 'see');
      const storageType = storageTypeOf(page);
      if (!storageType) {
        throw new AppError(
          'CONFLICT',
          'This page is in the storage mode page, which has no data to follow.',
          {
            body: { storage_mode: page.storage_mode },
          },
        );
      }
      const scope = `${storageType.replace('_', '-')}:read`;
      const isScoped = caller?.via !== 'bearer' || caller.scopes.includes(scope);
      const place = await findPlace(db, page, isScoped ? caller : undefined, storageType);
      demandAccess(place, 'read');
      return followRecords(context.streams, context.events, {
        pageId: page.id,
        storageType,
        actor: place.actor,
        collections: query.collections.map(checkCollection),
        lastEventId: request.headers.get('last-event-id') ?? undefined,
        signal: request.signal,
        async recheck() {
          const now = await context.findPageByIdOrSlug(String(page.id));
          if (!now) return undefined;
          const role = await roleOf(db, now, caller);
          if (now.is_published !== 1 && role === undefined) return undefined;
          return {
            actor: place.actor && { userId: place.actor.userId, role },
            storageType: storageTypeOf(now),
          };
        },
      });
    },
  });
}
