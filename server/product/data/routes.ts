import { recordEndpoints } from '../../../contract/data/endpoints.ts';
import { STORAGE_TYPES, type StorageType } from '../../../contract/rules/storage-modes.ts';
import type { Events } from '../../platform/coordination/events/index.ts';
import { type Caller, type EventStreams, handle, type Route } from '../../platform/http/index.ts';
import type { PageDirectory } from '../ports.ts';
import { findDataTarget, type InCollection, inCollection } from './access/data-target.ts';
import { putSchema, readSchema, removeSchema } from './collections/define.ts';
import type { DataEvent } from './live/events.ts';
import { liveRoutes } from './live/routes.ts';
import { readCollections } from './records/list-collections.ts';
import { type ReadContext, readCount, readRecord, readRecords } from './records/read.ts';
import { changeRecord, createRecord, removeRecord, runBatch, type WriteContext } from './records/write.ts';

/** The dependencies of the routes. */
interface DataContext extends ReadContext, WriteContext {
  events: Events<DataEvent>;
  streams: EventStreams;
  pages: PageDirectory;
  rulesChanged(target: InCollection): void;
}

export function dataRoutes(context: DataContext): Route[] {
  return [
    ...STORAGE_TYPES.flatMap((storageType) => makeRoutes(context, storageType)),
    ...liveRoutes(context),
  ];
}

/** The routes of one kind of data. Fixed names come before `:recordId`, which would match them too. */
function makeRoutes(context: DataContext, storageType: StorageType): Route[] {
  const { db, pages } = context;
  const findPage = async (id: string, caller: Caller) =>
    findDataTarget(context, await pages.find(db, id), caller, storageType);
  const find = async (params: { id: string; collection: string }, caller: Caller): Promise<InCollection> =>
    inCollection(await findPage(params.id, caller), params.collection);
  const { listCollections } = recordEndpoints[storageType];
  return [
    handle(listCollections, async ({ params, caller }) =>
      readCollections(context, await findPage(params.id, caller)),
    ),
    ...manyRecordsRoutes(context, storageType, find),
    ...schemaRoutes(context, storageType, find),
    ...recordRoutes(context, storageType, find),
  ];
}

type Find = (params: { id: string; collection: string }, caller: Caller) => Promise<InCollection>;

function manyRecordsRoutes(context: DataContext, storageType: StorageType, find: Find): Route[] {
  const { listRecords, countRecords, batchRecords } = recordEndpoints[storageType];
  return [
    handle(listRecords, async ({ params, query, caller }) =>
      readRecords(context, await find(params, caller), query),
    ),
    handle(countRecords, async ({ params, query, caller }) =>
      readCount(context, await find(params, caller), query),
    ),
    handle(batchRecords, async ({ params, body, caller }) => ({
      results: await runBatch(context, await find(params, caller), body.operations),
    })),
  ];
}

function schemaRoutes(context: DataContext, storageType: StorageType, find: Find): Route[] {
  const { getSchema, setSchema, deleteSchema } = recordEndpoints[storageType];
  return [
    handle(getSchema, async ({ params, caller }) => readSchema(context.db, await find(params, caller))),
    handle(setSchema, async ({ params, body, caller }) =>
      putSchema(context, await find(params, caller), body.schema),
    ),
    handle(deleteSchema, async ({ params, caller }) => removeSchema(context, await find(params, caller))),
  ];
}

function recordRoutes(context: DataContext, storageType: StorageType, find: Find): Route[] {
  const {
    createRecord: create,
    getRecord,
    updateRecord,
    replaceRecord,
    deleteRecord,
  } = recordEndpoints[storageType];
  return [
    handle(create, async ({ params, body, caller }) =>
      createRecord(context, await find(params, caller), body.data),
    ),
    handle(getRecord, async ({ params, caller }) =>
      readRecord(context, await find(params, caller), params.recordId),
    ),
    handle(updateRecord, async ({ params, body: { data }, caller }) =>
      changeRecord(context, await find(params, caller), { op: 'update', id: params.recordId, data }),
    ),
    handle(replaceRecord, async ({ params, body: { data }, caller }) =>
      changeRecord(context, await find(params, caller), { op: 'replace', id: params.recordId, data }),
    ),
    handle(deleteRecord, async ({ params, caller }) =>
      removeRecord(context, await find(params, caller), params.recordId),
    ),
  ];
}
