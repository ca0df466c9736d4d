import {
  DescribedSchemaBody,
  SCHEMA_BODY_LIMIT,
  SchemaBody,
  SchemaResponse,
} from '../../../contract/data/collection-schema.ts';
import {
  BATCH_BODY_DEPTH,
  BATCH_BODY_LIMIT,
  BatchBody,
  BatchResponse,
  CollectionList,
  CountQuery,
  CountResponse,
  collectionParams,
  ListQuery,
  pageParams,
  RECORD_BODY_DEPTH,
  RECORD_BODY_LIMIT,
  RecordBody,
  RecordList,
  RecordResponse,
  recordParams,
} from '../../../contract/data/records.ts';
import { dashed, STORAGE_TYPES, type StorageType } from '../../../contract/rules/storage-modes.ts';
import type { Events } from '../../platform/coordination/events/index.ts';
import { type Caller, type EventStreams, type Route, route } from '../../platform/http/index.ts';
import { putSchema, readSchema, removeSchema } from './collections/define.ts';
import { readCollections } from './collections/list.ts';
import type { DataEvent } from './live/events.ts';
import { liveRoutes } from './live/routes.ts';
import type { Pages } from './needs.ts';
import { findPlace, type InCollection, inCollection, scopeOf } from './place.ts';
import { type ReadContext, readCount, readRecord, readRecords } from './read.ts';
import { changeRecord, createRecord, removeRecord, runBatch, type WriteContext } from './write.ts';

/** What the routes of this slice need. */
interface DataContext extends ReadContext, WriteContext {
  events: Events<DataEvent>;
  streams: EventStreams;
  pages: Pages;
  rulesChanged(place: InCollection): void;
}

export function dataRoutes(context: DataContext): Route[] {
  return [...STORAGE_TYPES.flatMap((storageType) => routesOf(context, storageType)), ...liveRoutes(context)];
}

/** The same routes for each kind of data. Fixed names come before `:recordId`, which would match them too. */
function routesOf(context: DataContext, storageType: StorageType): Route[] {
  const kind = kindOf(context, storageType);
  return [
    ...listRoutes(context, kind),
    ...queryRoutes(context, kind),
    ...schemaRoutes(context, kind),
    ...recordRoutes(context, kind),
  ];
}

type Kind = ReturnType<typeof kindOf>;

/** Who passes the gate to read. Rules can open the data of a team to everyone, but never solo data. */
const READERS = {
  solo_data: 'visitor',
  team_data: 'visitor or reader',
  social_data: 'open read',
} as const satisfies Record<StorageType, string>;

/** What differs between the kinds of data. */
function kindOf(context: DataContext, storageType: StorageType) {
  const { db, pages } = context;
  const name = storageType.replace('_data', '');
  const placeOf = async (id: string, caller: Caller) =>
    findPlace(context, await pages.find(db, id), caller, storageType);
  return {
    name,
    Name: name.charAt(0).toUpperCase() + name.slice(1),
    base: `/api/pages/:id/${dashed(storageType)}`,
    /** Guests can pass the gate, and are refused by the mode, by rules, or because they ask for their own records. */
    refusals: storageType === 'solo_data' ? [] : (['UNAUTHORIZED', 'FORBIDDEN'] as const),
    READ: { kind: READERS[storageType], scope: scopeOf(storageType, 'read') } as const,
    WRITE: { kind: 'visitor', scope: scopeOf(storageType, 'write') } as const,
    placeOf,
    collectionOf: async (params: { id: string; collection: string }, caller: Caller): Promise<InCollection> =>
      inCollection(await placeOf(params.id, caller), params.collection),
  };
}

function listRoutes(context: DataContext, kind: Kind): Route[] {
  return [
    route({
      method: 'GET',
      path: kind.base,
      operationId: `list${kind.Name}Collections`,
      failures: [...kind.refusals, 'CONFLICT'],
      access: kind.READ,
      summary: `List the ${kind.name} collections of a page`,
      params: pageParams,
      response: CollectionList,
      handle: async ({ params, caller }) => readCollections(context, await kind.placeOf(params.id, caller)),
    }),
    route({
      method: 'GET',
      path: `${kind.base}/:collection`,
      operationId: `list${kind.Name}Records`,
      failures: [...kind.refusals, 'CONFLICT'],
      access: kind.READ,
      summary: 'List records, with conditions and in any order',
      params: collectionParams,
      query: ListQuery,
      response: RecordList,
      handle: async ({ params, query, caller }) =>
        readRecords(context, await kind.collectionOf(params, caller), query),
    }),
    route({
      method: 'POST',
      path: `${kind.base}/:collection`,
      operationId: `create${kind.Name}Record`,
      failures: ['QUOTA_EXCEEDED', 'CONFLICT', 'VALIDATION_FAILED'],
      access: kind.WRITE,
      summary: 'Add a record',
      params: collectionParams,
      body: RecordBody,
      bodyLimit: RECORD_BODY_LIMIT,
      bodyDepth: RECORD_BODY_DEPTH,
      status: 201,
      response: RecordResponse,
      handle: async ({ params, body, caller }) =>
        createRecord(context, await kind.collectionOf(params, caller), body.data),
    }),
  ];
}

function queryRoutes(context: DataContext, kind: Kind): Route[] {
  return [
    route({
      method: 'GET',
      path: `${kind.base}/:collection/count`,
      operationId: `count${kind.Name}Records`,
      failures: [...kind.refusals, 'CONFLICT'],
      access: kind.READ,
      summary: 'Count records, also by the values of a field',
      params: collectionParams,
      query: CountQuery,
      response: CountResponse,
      handle: async ({ params, query, caller }) =>
        readCount(context, await kind.collectionOf(params, caller), query),
    }),
    route({
      method: 'POST',
      path: `${kind.base}/:collection/batch`,
      operationId: `batch${kind.Name}Records`,
      failures: ['QUOTA_EXCEEDED', 'CONFLICT', 'VALIDATION_FAILED'],
      access: kind.WRITE,
      summary: 'Run up to 100 operations, all or none',
      params: collectionParams,
      body: BatchBody,
      bodyLimit: BATCH_BODY_LIMIT,
      bodyDepth: BATCH_BODY_DEPTH,
      response: BatchResponse,
      handle: async ({ params, body, caller }) => ({
        results: await runBatch(context, await kind.collectionOf(params, caller), body.operations),
      }),
    }),
  ];
}

function schemaRoutes(context: DataContext, kind: Kind): Route[] {
  return [
    route({
      method: 'GET',
      path: `${kind.base}/:collection/schema`,
      operationId: `get${kind.Name}Schema`,
      failures: [...kind.refusals, 'CONFLICT'],
      access: kind.READ,
      summary: "Read a collection's schema",
      params: collectionParams,
      response: SchemaResponse,
      handle: async ({ params, caller }) => readSchema(context.db, await kind.collectionOf(params, caller)),
    }),
    route({
      method: 'PUT',
      path: `${kind.base}/:collection/schema`,
      operationId: `set${kind.Name}Schema`,
      bodySchema: DescribedSchemaBody,
      failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
      access: kind.WRITE,
      summary: 'Set the schema of a collection',
      params: collectionParams,
      body: SchemaBody,
      bodyLimit: SCHEMA_BODY_LIMIT,
      response: SchemaResponse,
      handle: async ({ params, body, caller }) =>
        putSchema(context, await kind.collectionOf(params, caller), body.schema),
    }),
    route({
      method: 'DELETE',
      path: `${kind.base}/:collection/schema`,
      operationId: `delete${kind.Name}Schema`,
      failures: ['CONFLICT'],
      access: kind.WRITE,
      summary: "Remove a collection's schema",
      params: collectionParams,
      status: 204,
      handle: async ({ params, caller }) => removeSchema(context, await kind.collectionOf(params, caller)),
    }),
  ];
}

function recordRoutes(context: DataContext, kind: Kind): Route[] {
  const change = (method: 'PATCH' | 'PUT', op: 'update' | 'replace', summary: string) =>
    route({
      method,
      path: `${kind.base}/:collection/:recordId`,
      operationId: `${op}${kind.Name}Record`,
      failures: ['QUOTA_EXCEEDED', 'CONFLICT', 'VALIDATION_FAILED'],
      access: kind.WRITE,
      summary,
      params: recordParams,
      body: RecordBody,
      bodyLimit: RECORD_BODY_LIMIT,
      bodyDepth: RECORD_BODY_DEPTH,
      response: RecordResponse,
      handle: async ({ params, body: { data }, caller }) =>
        changeRecord(context, await kind.collectionOf(params, caller), { op, id: params.recordId, data }),
    });
  return [
    route({
      method: 'GET',
      path: `${kind.base}/:collection/:recordId`,
      operationId: `get${kind.Name}Record`,
      failures: [...kind.refusals, 'CONFLICT'],
      access: kind.READ,
      summary: 'Read a record',
      params: recordParams,
      response: RecordResponse,
      handle: async ({ params, caller }) =>
        readRecord(context, await kind.collectionOf(params, caller), params.recordId),
    }),
    change('PATCH', 'update', 'Change the given fields of a record; null removes a field'),
    change('PUT', 'replace', 'Replace the data of a record'),
    route({
      method: 'DELETE',
      path: `${kind.base}/:collection/:recordId`,
      operationId: `delete${kind.Name}Record`,
      failures: ['CONFLICT'],
      access: kind.WRITE,
      summary: 'Delete a record',
      params: recordParams,
      status: 204,
      handle: async ({ params, caller }) =>
        removeRecord(context, await kind.collectionOf(params, caller), params.recordId),
    }),
  ];
}
