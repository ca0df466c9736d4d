import type { z } from 'zod';
import type { Rules } from '../../../../../contract/data/collection-rules.ts';
import type { CollectionSchema } from '../../../../../contract/data/collection-schema.ts';
import { recordEndpoints } from '../../../../../contract/data/endpoints.ts';
import type { ListQuery } from '../../../../../contract/data/records.ts';
import { COLLECTION_NAME, MAX_COLLECTION_NAME } from '../../../../../contract/rules/collection-names.ts';
import { MAX_SEARCH } from '../../../../../contract/rules/limits.ts';
import { dashed, type StorageType } from '../../../../../contract/rules/storage-modes.ts';
import { WHERE_OPERATORS } from '../../../../../contract/rules/where-operators.ts';
import type { Schema } from '../../../../sites/docs-site/index.ts';
import { recordSchema } from './record-schema.ts';
import { objectSchema, type PageTool } from './tool.ts';

type RecordEndpoints = (typeof recordEndpoints)[StorageType];
type DataAction = 'read' | 'create' | 'update' | 'delete';

/** The data of a page. */
export interface PageData {
  pageId: number;
  storageType: StorageType;
  /** Collections with a schema, which only the page's owner can make. */
  schemas: { collection: string; schema: CollectionSchema }[];
  /** What the caller can do with a collection that has these rules. */
  actionsBy(rules?: Rules): ReadonlySet<string>;
  /** True if anyone can read a collection with these rules, also without a login. */
  isOpen(rules?: Rules): boolean;
}

/** Collections with tools of their own, because models choose badly from long lists. Others use the general tools. */
const MAX_OWN_TOOLS = 10;
const MAX_OWN_SCHEMA = 8 * 1024;
/** Characters of a tool's name that the APIs of models accept. */
const MAX_NAME = 64;

const RECORDS = 'records, which visitors of the page wrote';
const LESS = 'Use a smaller limit, and continue with offset.';
const COLLECTION: Schema = {
  type: 'string',
  pattern: COLLECTION_NAME.source,
  maxLength: MAX_COLLECTION_NAME,
  description: 'The name of a collection.',
};
const RECORD_ID: Schema = { type: 'string', description: 'The id of a record.' };
const ANY_DATA: Schema = { type: 'object', description: 'The fields of the record.' };
const LIST = {
  where: {
    type: 'object',
    description: `For example {"done":false} or {"age":{"gte":18}}. Operators: ${WHERE_OPERATORS.join(', ')}; and, or.`,
  },
  q: {
    type: 'string',
    maxLength: MAX_SEARCH,
    description: 'Words to search for, or the beginnings of words. Words in quotes are together.',
  },
  orderBy: { type: 'string', description: 'created_at, updated_at or data.<path>' },
  order: { type: 'string', enum: ['asc', 'desc'] },
  limit: { type: 'integer', minimum: 1, maximum: 100 },
  offset: { type: 'integer', minimum: 0 },
} satisfies { [Name in keyof z.input<typeof ListQuery>]?: Schema };

/** A collection without a search has no `q`: it would be refused. */
function listInput(schema: CollectionSchema | undefined): Record<string, Schema> {
  const { q, ...others } = LIST;
  if (!schema) return LIST;
  const fields = schema.search ?? [];
  return fields.length === 0
    ? others
    : { ...others, q: { ...q, description: `${q.description} Searches ${fields.join(', ')}.` } };
}

interface Verb {
  action: DataAction;
  title: string;
  effect: PageTool['effect'];
  /** True if collections have no tool of their own for the action: with more tools, models choose worse. */
  isForAny?: true;
  about(what: string): string;
  /** Arguments in addition to the collection. */
  input(schema?: CollectionSchema): { properties: Record<string, Schema>; required: string[] };
  endpoint: keyof RecordEndpoints;
}

const dataSchema = (schema: CollectionSchema | undefined, kind: 'record' | 'change') =>
  schema ? recordSchema(schema, kind) : ANY_DATA;

const VERBS: Record<string, Verb> = {
  list: {
    action: 'read',
    title: 'List records',
    effect: 'read',
    about: (what) => `Lists the records of ${what} that you can see, newest first.`,
    input: (schema) => ({ properties: listInput(schema), required: [] }),
    endpoint: 'listRecords',
  },
  get: {
    action: 'read',
    title: 'Read a record',
    effect: 'read',
    about: (what) => `Returns one record of ${what} by its id.`,
    input: () => ({ properties: { recordId: RECORD_ID }, required: ['recordId'] }),
    endpoint: 'getRecord',
  },
  create: {
    action: 'create',
    title: 'Add a record',
    effect: 'write',
    about: (what) => `Adds a record to ${what} on behalf of your user.`,
    input: (schema) => ({ properties: { data: dataSchema(schema, 'record') }, required: ['data'] }),
    endpoint: 'createRecord',
  },
  update: {
    action: 'update',
    title: 'Change a record',
    effect: 'destructive',
    about: (what) =>
      `Sets the given fields of a record of ${what}, and removes those that are null. Other fields do not change.`,
    input: (schema) => ({
      properties: { recordId: RECORD_ID, data: dataSchema(schema, 'change') },
      required: ['recordId', 'data'],
    }),
    endpoint: 'updateRecord',
  },
  replace: {
    action: 'update',
    title: 'Replace a record',
    effect: 'destructive',
    isForAny: true,
    about: (what) => `Replaces all data of a record of ${what}. Fields that are not given are removed.`,
    input: () => ({ properties: { recordId: RECORD_ID, data: ANY_DATA }, required: ['recordId', 'data'] }),
    endpoint: 'replaceRecord',
  },
  delete: {
    action: 'delete',
    title: 'Delete a record',
    effect: 'destructive',
    about: (what) => `Deletes a record of ${what} for good.`,
    input: () => ({ properties: { recordId: RECORD_ID }, required: ['recordId'] }),
    endpoint: 'deleteRecord',
  },
};

/** Tools for any collection, and for each one with a schema. */
export function dataTools(data: PageData): PageTool[] {
  const { schemas } = data;
  const small = schemas.filter(({ schema }) => JSON.stringify(schema).length <= MAX_OWN_SCHEMA);
  const own = small
    .slice(0, MAX_OWN_TOOLS)
    .flatMap((entry) => ownTools(data, entry))
    .filter(({ name }) => name.length <= MAX_NAME);
  // The rules of each collection that has some, and `undefined` for collections without rules.
  const rulings = [undefined, ...schemas.flatMap(({ schema }) => schema.rules ?? [])];
  const actions = new Set(rulings.flatMap((rules) => [...data.actionsBy(rules)]));
  const isOpen = rulings.some(data.isOpen);
  return [
    ...(actions.has('read') ? [listCollections(data, isOpen)] : []),
    ...Object.entries(VERBS)
      .filter(([, { action }]) => actions.has(action))
      .map(([verb, definition]) => anyTool(data, verb, definition, isOpen)),
    ...own,
  ];
}

function ownTools(data: PageData, entry: PageData['schemas'][number]): PageTool[] {
  const actions = data.actionsBy(entry.schema.rules);
  return Object.entries(VERBS)
    .filter(([, { action, isForAny }]) => actions.has(action) && !isForAny)
    .map(([verb, definition]) => ownTool(data, `${verb}_${entry.collection}`, definition, entry));
}

function listCollections(data: PageData, isOpen: boolean): PageTool {
  return {
    ...common(data, { action: 'read', endpoint: 'listCollections' }, isOpen),
    name: 'list_collections',
    title: 'List collections',
    description: 'Lists the collections of the page with their number of records.',
    effect: 'read',
    inputSchema: objectSchema({}),
    source: 'names that visitors may have chosen',
  };
}

function anyTool(data: PageData, verb: string, definition: Verb, isOpen: boolean): PageTool {
  const { properties, required } = definition.input();
  return {
    ...common(data, definition, isOpen),
    name: verb === 'list' ? 'list_records' : `${verb}_record`,
    title: definition.title,
    description: definition.about('a collection'),
    effect: definition.effect,
    inputSchema: objectSchema({ collection: COLLECTION, ...properties }, ['collection', ...required]),
  };
}

function ownTool(
  data: PageData,
  name: string,
  definition: Verb,
  { collection, schema }: PageData['schemas'][number],
): PageTool {
  const { properties, required } = definition.input(schema);
  return {
    ...common(data, definition, data.isOpen(schema.rules)),
    fixed: { id: data.pageId, collection },
    name,
    title: `${definition.title}: ${collection}`,
    description: definition.about(`the collection ${collection}`),
    effect: definition.effect,
    inputSchema: objectSchema(properties, required),
  };
}

function common(
  { pageId, storageType }: PageData,
  { action, endpoint }: Pick<Verb, 'action' | 'endpoint'>,
  isOpen: boolean,
) {
  return {
    endpoint: recordEndpoints[storageType][endpoint],
    fixed: { id: pageId },
    needsLogin: !(isOpen && action === 'read'),
    scopes: [`${dashed(storageType)}:${action === 'read' ? 'read' : 'write'}`],
    source: RECORDS,
    more: LESS,
  };
}
