import { endpoint, endpoints } from '../endpoint.ts';
import { dashed, type StorageType } from '../rules/storage-modes.ts';
import { DescribedSchemaBody, SCHEMA_BODY_LIMIT, SchemaBody, SchemaResponse } from './collection-schema.ts';
import { LIVE_LISTS_BODY_LIMIT, LiveListEvent, LiveListsBody } from './live-lists.ts';
import { DeletedRecordList, HistoryQuery, PastChangeList, RestoreRecordBody } from './record-history.ts';
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
  PageVersionEvent,
  pageParams,
  RECORD_BODY_DEPTH,
  RECORD_BODY_LIMIT,
  RecordBody,
  RecordEvent,
  RecordList,
  RecordResponse,
  recordParams,
} from './records.ts';

/** The access to read each kind of data. Rules can open the data of a team to everyone, but never solo data. */
const READERS = {
  solo_data: 'visitor',
  team_data: 'visitor or reader',
  social_data: 'open read',
} as const satisfies Record<StorageType, string>;

/** The parts of an endpoint that depend on the kind of data. */
function describeKind(storageType: StorageType) {
  const name = storageType.replace('_data', '');
  return {
    name,
    base: `/api/pages/:id/${dashed(storageType)}`,
    /** Guests can pass the gate, and are refused by the mode, by rules, or because they ask for their own records. */
    refusals: storageType === 'solo_data' ? [] : (['UNAUTHORIZED', 'FORBIDDEN'] as const),
    READ: { kind: READERS[storageType], scope: `${dashed(storageType)}:read` },
    WRITE: { kind: 'visitor', scope: `${dashed(storageType)}:write` } as const,
    /** The operation id of an endpoint of this kind. */
    toOperationId: (verb: string, noun: string) =>
      `${verb}${name.charAt(0).toUpperCase()}${name.slice(1)}${noun}`,
  };
}
type Kind = ReturnType<typeof describeKind>;

function collectionEndpoints({ name, base, refusals, READ, WRITE, toOperationId }: Kind) {
  return {
    listCollections: endpoint({
      method: 'GET',
      path: base,
      operationId: toOperationId('list', 'Collections'),
      failures: [...refusals, 'CONFLICT'],
      access: READ,
      summary: `List the ${name} collections of a page`,
      params: pageParams,
      response: CollectionList,
    }),
    getSchema: endpoint({
      method: 'GET',
      path: `${base}/:collection/schema`,
      operationId: toOperationId('get', 'Schema'),
      failures: [...refusals, 'CONFLICT'],
      access: READ,
      summary: "Read a collection's schema",
      params: collectionParams,
      response: SchemaResponse,
    }),
    setSchema: endpoint({
      method: 'PUT',
      path: `${base}/:collection/schema`,
      operationId: toOperationId('set', 'Schema'),
      bodySchema: DescribedSchemaBody,
      failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
      access: WRITE,
      summary: 'Set the schema of a collection',
      params: collectionParams,
      body: SchemaBody,
      bodyLimit: SCHEMA_BODY_LIMIT,
      response: SchemaResponse,
    }),
    deleteSchema: endpoint({
      method: 'DELETE',
      path: `${base}/:collection/schema`,
      operationId: toOperationId('delete', 'Schema'),
      failures: ['CONFLICT'],
      access: WRITE,
      summary: "Remove a collection's schema",
      params: collectionParams,
      status: 204,
    }),
  };
}

function manyRecordsEndpoints({ base, refusals, READ, WRITE, toOperationId }: Kind) {
  return {
    listRecords: endpoint({
      method: 'GET',
      path: `${base}/:collection`,
      operationId: toOperationId('list', 'Records'),
      failures: [...refusals, 'CONFLICT'],
      access: READ,
      summary: 'List records, with conditions and in any order',
      params: collectionParams,
      query: ListQuery,
      response: RecordList,
    }),
    countRecords: endpoint({
      method: 'GET',
      path: `${base}/:collection/count`,
      operationId: toOperationId('count', 'Records'),
      failures: [...refusals, 'CONFLICT'],
      access: READ,
      summary: 'Count records, also by the values of a field',
      params: collectionParams,
      query: CountQuery,
      response: CountResponse,
    }),
    batchRecords: endpoint({
      method: 'POST',
      path: `${base}/:collection/batch`,
      operationId: toOperationId('batch', 'Records'),
      failures: ['QUOTA_EXCEEDED', 'CONFLICT', 'VALIDATION_FAILED'],
      access: WRITE,
      summary: 'Run up to 100 operations, all or none',
      params: collectionParams,
      body: BatchBody,
      bodyLimit: BATCH_BODY_LIMIT,
      bodyDepth: BATCH_BODY_DEPTH,
      response: BatchResponse,
    }),
  };
}

function singleRecordEndpoints({ base, refusals, READ, WRITE, toOperationId }: Kind) {
  const written = {
    failures: ['QUOTA_EXCEEDED', 'CONFLICT', 'VALIDATION_FAILED'],
    access: WRITE,
    changes: 'single',
    body: RecordBody,
    bodyLimit: RECORD_BODY_LIMIT,
    bodyDepth: RECORD_BODY_DEPTH,
    response: RecordResponse,
  } as const;
  const one = { path: `${base}/:collection/:recordId`, params: recordParams };
  return {
    createRecord: endpoint({
      ...written,
      method: 'POST',
      path: `${base}/:collection`,
      operationId: toOperationId('create', 'Record'),
      summary: 'Add a record',
      params: collectionParams,
      status: 201,
    }),
    getRecord: endpoint({
      ...one,
      method: 'GET',
      operationId: toOperationId('get', 'Record'),
      failures: [...refusals, 'CONFLICT'],
      access: READ,
      summary: 'Read a record',
      response: RecordResponse,
    }),
    updateRecord: endpoint({
      ...one,
      ...written,
      method: 'PATCH',
      operationId: toOperationId('update', 'Record'),
      summary: 'Change the given fields of a record; null removes a field',
    }),
    replaceRecord: endpoint({
      ...one,
      ...written,
      method: 'PUT',
      operationId: toOperationId('replace', 'Record'),
      summary: 'Replace the data of a record',
    }),
    deleteRecord: endpoint({
      ...one,
      method: 'DELETE',
      operationId: toOperationId('delete', 'Record'),
      failures: ['CONFLICT'],
      access: WRITE,
      changes: 'single',
      summary: 'Delete a record',
      status: 204,
    }),
  };
}

function pastRecordsEndpoints({ base, refusals, READ, WRITE, toOperationId }: Kind) {
  return {
    listDeleted: endpoint({
      method: 'GET',
      path: `${base}/:collection/deleted`,
      operationId: toOperationId('list', 'DeletedRecords'),
      failures: [...refusals, 'CONFLICT'],
      access: READ,
      summary: 'List deleted records: your own, or all if you manage the page',
      params: collectionParams,
      query: HistoryQuery,
      response: DeletedRecordList,
    }),
    readHistory: endpoint({
      method: 'GET',
      path: `${base}/:collection/:recordId/history`,
      operationId: toOperationId('list', 'RecordHistory'),
      failures: [...refusals, 'CONFLICT'],
      access: READ,
      summary: 'List what a record was before each change, newest first',
      params: recordParams,
      query: HistoryQuery,
      response: PastChangeList,
    }),
    restoreRecord: endpoint({
      method: 'POST',
      path: `${base}/:collection/:recordId/restore`,
      operationId: toOperationId('restore', 'Record'),
      failures: ['QUOTA_EXCEEDED', 'CONFLICT', 'VALIDATION_FAILED'],
      access: WRITE,
      changes: 'single',
      summary: 'Bring a record back as it was before a time, also a deleted one',
      params: recordParams,
      body: RestoreRecordBody,
      response: RecordResponse,
    }),
  };
}

function makeEndpoints(storageType: StorageType) {
  const kind = describeKind(storageType);
  return {
    ...collectionEndpoints(kind),
    ...manyRecordsEndpoints(kind),
    ...singleRecordEndpoints(kind),
    ...pastRecordsEndpoints(kind),
  };
}

/** Each kind of data has the same endpoints, at a path of its own. */
export const recordEndpoints: Record<StorageType, ReturnType<typeof makeEndpoints>> = {
  solo_data: makeEndpoints('solo_data'),
  team_data: makeEndpoints('team_data'),
  social_data: makeEndpoints('social_data'),
};

export const eventEndpoints = endpoints({
  followRecords: endpoint({
    method: 'GET',
    path: '/api/pages/:id/events',
    failures: ['UNAUTHORIZED', 'FORBIDDEN', 'INSUFFICIENT_SCOPE', 'CONFLICT'],
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
    summary: 'Follow changes in collections (server-sent events)',
    params: pageParams,
    query: EventsQuery,
  }),
  followLists: endpoint({
    method: 'POST',
    path: '/api/pages/:id/live-lists',
    failures: ['UNAUTHORIZED', 'FORBIDDEN', 'INSUFFICIENT_SCOPE', 'CONFLICT'],
    answers: [
      {
        status: 200,
        description: 'Each list, and then what changes in it, until the reader leaves.',
        type: 'text/event-stream',
        events: LiveListEvent,
      },
    ],
    access: { kind: 'open read' },
    summary: 'Follow lists of records while they change (server-sent events)',
    params: pageParams,
    body: LiveListsBody,
    bodyLimit: LIVE_LISTS_BODY_LIMIT,
  }),
  followPage: endpoint({
    method: 'GET',
    path: '/api/pages/:id/version-events',
    answers: [
      {
        status: 200,
        description: 'The current version, then one event for each new one, until the reader leaves.',
        type: 'text/event-stream',
        events: PageVersionEvent,
      },
    ],
    // The scope of the page's other management routes: a token learns no more than by reading the page.
    access: { kind: 'visitor', scope: 'pages:read' },
    summary: 'Follow the versions of a page that you can change (server-sent events)',
    params: pageParams,
  }),
});
