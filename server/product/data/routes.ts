import {
  DescribedSchemaBody,
  SCHEMA_BODY_LIMIT,
  SchemaBody,
  SchemaResponse,
} from '../../../contract/collection-schema.ts';
import {
  BATCH_BODY_DEPTH,
  BATCH_BODY_LIMIT,
  BatchBody,
  BatchResponse,
  CollectionList,
  CountQuery,
  CountResponse,
  collectionParams,
  EventsQuery,
  FollowHeaders,
  ListQuery,
  pageParams,
  RECORD_BODY_DEPTH,
  RECORD_BODY_LIMIT,
  RecordBody,
  RecordEvent,
  RecordList,
  RecordResponse,
  recordParams,
  STORAGE_TYPES,
  type StorageType,
} from '../../../contract/records.ts';
import type { Events } from '../../platform/coordination/events/index.ts';
import { type Actor, type EventStreams, type Route, route } from '../../platform/http/index.ts';
import type { PageRow } from '../pages/index.ts';
import { putSchema, readSchema, removeSchema } from './collections/define.ts';
import type { DataEvent } from './live/events.ts';
import { followRecords } from './live/follow.ts';
import { admitFollower } from './live/follower.ts';
import { dashed, findPlace, type InCollection, inCollection, scopeOf } from './place.ts';
import { type ReadContext, readCollections, readCount, readRecord, readRecords } from './read.ts';
import { changeRecord, createRecord, removeRecord, runBatch, type WriteContext } from './write.ts';

interface DataContext extends ReadContext, WriteContext {
  events: Events<DataEvent>;
  streams: EventStreams;
  findPageByIdOrSlug(idOrSlug: string): Promise<PageRow | undefined>;
}

export function dataRoutes(context: DataContext): Route[] {
  return [...STORAGE_TYPES.flatMap((storageType) => routesOf(context, storageType)), eventsRoute(context)];
}

/** The same routes for each kind of data. */
function routesOf(context: DataContext, storageType: StorageType): Route[] {
  const { db } = context;
  const name = storageType.replace('_data', '');
  const Kind = name.charAt(0).toUpperCase() + name.slice(1);
  /** Anyone may read social data; only `mine` needs somebody whose it is. */
  const LOGIN_FOR_MINE = storageType === 'social_data' ? (['UNAUTHORIZED'] as const) : [];
  const base = `/api/pages/:id/${dashed(storageType)}`;
  const kind = storageType === 'social_data' ? 'open read' : 'visitor';
  const READ = { kind, scope: scopeOf(storageType, 'read') } as const;
  const WRITE = { kind: 'visitor', scope: scopeOf(storageType, 'write') } as const;

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
      operationId: `list${Kind}Collections`,
      failures: [...LOGIN_FOR_MINE, 'CONFLICT'],
      access: READ,
      summary: `List the ${name} collections of a page`,
      params: pageParams,
      response: CollectionList,
      handle: async ({ params, actor }) => readCollections(context, await placeOf(params.id, actor)),
    }),
    route({
      method: 'GET',
      path: `${base}/:collection`,
      operationId: `list${Kind}Records`,
      failures: [...LOGIN_FOR_MINE, 'CONFLICT'],
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
      operationId: `create${Kind}Record`,
      failures: ['QUOTA_EXCEEDED', 'CONFLICT', 'VALIDATION_FAILED'],
      access: WRITE,
      summary: 'Add a record',
      params: collectionParams,
      body: RecordBody,
      bodyLimit: RECORD_BODY_LIMIT,
      bodyDepth: RECORD_BODY_DEPTH,
      status: 201,
      response: RecordResponse,
      handle: async ({ params, body, actor }) =>
        createRecord(context, await collectionOf(params, actor), body.data),
    }),
    route({
      method: 'GET',
      path: `${base}/:collection/count`,
      operationId: `count${Kind}Records`,
      failures: [...LOGIN_FOR_MINE, 'CONFLICT'],
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
      operationId: `batch${Kind}Records`,
      failures: ['QUOTA_EXCEEDED', 'CONFLICT', 'VALIDATION_FAILED'],
      access: WRITE,
      summary: 'Do up to 100 operations, all or none',
      params: collectionParams,
      body: BatchBody,
      bodyLimit: BATCH_BODY_LIMIT,
      bodyDepth: BATCH_BODY_DEPTH,
      response: BatchResponse,
      handle: async ({ params, body, actor }) => ({
        results: await runBatch(context, await collectionOf(params, actor), body.operations),
      }),
    }),
    route({
      method: 'GET',
      path: `${base}/:collection/schema`,
      operationId: `get${Kind}Schema`,
      failures: ['CONFLICT'],
      access: READ,
      summary: "Read a collection's schema",
      params: collectionParams,
      response: SchemaResponse,
      handle: async ({ params, actor }) => readSchema(db, await collectionOf(params, actor)),
    }),
    route({
      method: 'PUT',
      path: `${base}/:collection/schema`,
      operationId: `set${Kind}Schema`,
      bodySchema: DescribedSchemaBody,
      failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
      access: WRITE,
      summary: 'Set what records must look like from now on',
      params: collectionParams,
      body: SchemaBody,
      bodyLimit: SCHEMA_BODY_LIMIT,
      response: SchemaResponse,
      handle: async ({ params, body, actor }) =>
        putSchema(context, await collectionOf(params, actor), body.schema),
    }),
    route({
      method: 'DELETE',
      path: `${base}/:collection/schema`,
      operationId: `delete${Kind}Schema`,
      failures: ['CONFLICT'],
      access: WRITE,
      summary: "Remove a collection's schema",
      params: collectionParams,
      status: 204,
      handle: async ({ params, actor }) => removeSchema(context, await collectionOf(params, actor)),
    }),
    route({
      method: 'GET',
      path: `${base}/:collection/:recordId`,
      operationId: `get${Kind}Record`,
      failures: ['CONFLICT'],
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
      operationId: `update${Kind}Record`,
      failures: ['QUOTA_EXCEEDED', 'CONFLICT', 'VALIDATION_FAILED'],
      access: WRITE,
      summary: 'Change the given fields of a record',
      params: recordParams,
      body: RecordBody,
      bodyLimit: RECORD_BODY_LIMIT,
      bodyDepth: RECORD_BODY_DEPTH,
      response: RecordResponse,
      handle: async ({ params, body, actor }) =>
        changeRecord(context, await collectionOf(params, actor), params.recordId, body.data),
    }),
    route({
      method: 'DELETE',
      path: `${base}/:collection/:recordId`,
      operationId: `delete${Kind}Record`,
      failures: ['CONFLICT'],
      access: WRITE,
      summary: 'Delete a record',
      params: recordParams,
      status: 204,
      handle: async ({ params, actor }) =>
        removeRecord(context, await collectionOf(params, actor), params.recordId),
    }),
  ];
}

function eventsRoute(context: DataContext): Route {
  return route({
    method: 'GET',
    path: '/api/pages/:id/events',
    operationId: 'followRecords',
    failures: ['UNAUTHORIZED', 'INSUFFICIENT_SCOPE', 'CONFLICT'],
    headers: FollowHeaders,
    answers: [
      {
        status: 200,
        description: 'One event for each change, until the reader leaves.',
        type: 'text/event-stream',
        events: RecordEvent,
      },
    ],
    access: { kind: 'open read' },
    summary: 'Follow what happens in collections (server-sent events)',
    params: pageParams,
    query: EventsQuery,
    async handle({ params, query, actor, request }) {
      const follower = await admitFollower(context, actor, params.id, query.collections);
      return followRecords(context.streams, context.events, follower, request);
    },
  });
}
