import { recordEndpoints } from '../../../contract/data/endpoints.ts';
import { STORAGE_TYPES, type StorageType } from '../../../contract/rules/storage-modes.ts';
import { phrase } from '../../../contract/rules/texts/fill.ts';
import type { Events } from '../../platform/coordination/events/index.ts';
import { type Caller, type EventStreams, handle, type Route } from '../../platform/http/index.ts';
import type { MomentKeeper, PageDirectory } from '../ports.ts';
import { demandAccess, findDataTarget, type InCollection, inCollection } from './access/data-target.ts';
import { putSchema, readSchema, removeSchema } from './collections/define.ts';
import { keepBeforeDeleting } from './history/keep-before.ts';
import { readChanges, readDeleted } from './history/read-past.ts';
import { bringRecordBack } from './history/restore-record.ts';
import type { DataEvent } from './live/events.ts';
import { liveRoutes } from './live/routes.ts';
import { liveListRoutes } from './live-lists/routes.ts';
import { readCollections } from './records/list-collections.ts';
import { readCount, readRecord, readRecords } from './records/read.ts';
import type { ReadContext } from './records/select.ts';
import { changeRecord, createRecord, removeRecord, runBatch, type WriteContext } from './records/write.ts';

/** The dependencies of the routes. */
interface DataContext extends ReadContext, WriteContext {
  events: Events<DataEvent>;
  streams: EventStreams;
  pages: PageDirectory;
  rulesChanged(target: InCollection): void;
  indexesChanged(): void;
  noteGrowth(ownerId: number, bytes: number): void;
  moments: MomentKeeper;
}

export function dataRoutes(context: DataContext): Route[] {
  return [
    ...STORAGE_TYPES.flatMap((storageType) => makeRoutes(context, storageType)),
    ...liveRoutes(context),
    ...liveListRoutes(context),
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
    ...pastRoutes(context, storageType, find),
    ...recordRoutes(context, storageType, find),
  ];
}

/** Finds a target that is about to change. It must not while its page is restored. */
const createFindOpen =
  ({ moments }: DataContext, find: Find): Find =>
  async (params, caller) => {
    const target = await find(params, caller);
    moments.assertNotRestoring(target.page.id);
    return target;
  };

type Find = (params: { id: string; collection: string }, caller: Caller) => Promise<InCollection>;

function manyRecordsRoutes(context: DataContext, storageType: StorageType, find: Find): Route[] {
  const { listRecords, countRecords, batchRecords } = recordEndpoints[storageType];
  const findOpen = createFindOpen(context, find);
  return [
    handle(listRecords, async ({ params, query, caller }) =>
      readRecords(context, await find(params, caller), query),
    ),
    handle(countRecords, async ({ params, query, caller }) =>
      readCount(context, await find(params, caller), query),
    ),
    handle(batchRecords, async ({ params, body: { operations }, caller }) => {
      const target = await findOpen(params, caller);
      await keepBeforeDeleting(context, target, operations);
      return { results: await runBatch(context, target, operations) };
    }),
  ];
}

function schemaRoutes(context: DataContext, storageType: StorageType, find: Find): Route[] {
  const { getSchema, setSchema, deleteSchema } = recordEndpoints[storageType];
  const findOpen = createFindOpen(context, find);
  /** Finds a collection whose schema is about to change, and keeps a moment of its page if the caller may do that. */
  const findDefined: Find = async (params, caller) => {
    const target = await findOpen(params, caller);
    demandAccess(target, 'define', {});
    const text = phrase('Kept before the schema of {collection} changed.', { collection: target.collection });
    await context.moments.keepBefore(target.page.id, {
      kind: 'schema',
      by: target.actor?.userId ?? null,
      text,
    });
    context.moments.noteChange(target.page.id);
    return target;
  };
  return [
    handle(getSchema, async ({ params, caller }) => readSchema(context, await find(params, caller))),
    handle(setSchema, async ({ params, body, caller }) =>
      putSchema(context, await findDefined(params, caller), body.schema),
    ),
    handle(deleteSchema, async ({ params, caller }) =>
      removeSchema(context, await findDefined(params, caller)),
    ),
  ];
}

function pastRoutes(context: DataContext, storageType: StorageType, find: Find): Route[] {
  const { listDeleted, readHistory, restoreRecord } = recordEndpoints[storageType];
  const findOpen = createFindOpen(context, find);
  return [
    handle(listDeleted, async ({ params, query, caller }) =>
      readDeleted(context, await find(params, caller), query),
    ),
    handle(readHistory, async ({ params, query, caller }) =>
      readChanges(context, await find(params, caller), params.recordId, query),
    ),
    handle(restoreRecord, async ({ params, body, caller }) =>
      bringRecordBack(context, await findOpen(params, caller), params.recordId, body.at),
    ),
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
  const findOpen = createFindOpen(context, find);
  return [
    handle(create, async ({ params, body, caller }) =>
      createRecord(context, await findOpen(params, caller), body.data),
    ),
    handle(getRecord, async ({ params, caller }) =>
      readRecord(context, await find(params, caller), params.recordId),
    ),
    handle(updateRecord, async ({ params, body: { data }, caller }) =>
      changeRecord(context, await findOpen(params, caller), { op: 'update', id: params.recordId, data }),
    ),
    handle(replaceRecord, async ({ params, body: { data }, caller }) =>
      changeRecord(context, await findOpen(params, caller), { op: 'replace', id: params.recordId, data }),
    ),
    handle(deleteRecord, async ({ params, caller }) =>
      removeRecord(context, await findOpen(params, caller), params.recordId),
    ),
  ];
}
