import type { BatchResponse } from '../../../../../contract/data/records.ts';
import { MAX_BATCH } from '../../../../../contract/rules/limits.ts';
import { WHERE_OPERATORS } from '../../../../../contract/rules/where-operators.ts';
import { type Definition, dataTool, type Input } from './definition.ts';
import { continueWithOffset, cutList } from './results/cut.ts';

const PAGE = { id: { type: 'string' } };
const RECORD = { ...PAGE, recordId: { type: 'string' } };
const OBJECT = { type: 'object' };
const SCHEMA = "a schema, which the page's owner wrote";
const RECORDS = 'records, which visitors wrote';

/** Tools for collections of records. */
export const dataTools: Definition[] = [
  dataTool('listCollections', {
    name: 'list_collections',
    title: 'List collections',
    description: 'Lists the collections of a page with their number of records.',
    effect: 'read',
    source: 'names that visitors may have chosen',
    input: PAGE,
  }),
  dataTool('getSchema', {
    name: 'get_collection_schema',
    title: "Read a collection's schema",
    description: 'Returns the schema and rules of a collection.',
    effect: 'read',
    source: SCHEMA,
    input: { ...PAGE },
  }),
  dataTool('listRecords', {
    name: 'query_records',
    title: 'Query records',
    description:
      'Returns the records that you can see, newest first; one record with recordId, with history=true what it was; counts by the values of a field with groupBy.',
    effect: 'read',
    source: RECORDS,
    cut: cutList('records', continueWithOffset),
    also: [
      { given: 'history', is: true, name: 'readHistory' },
      { given: 'recordId', name: 'getRecord' },
      { given: 'groupBy', name: 'countRecords' },
    ],
    adds: ['recordId', 'groupBy', 'history'],
    input: {
      ...RECORD,
      history: { type: 'boolean' },
      where: {
        type: 'object',
        description: `{"done":false} or {"age":{"gte":18}}. Operators: ${WHERE_OPERATORS.join(', ')}; and, or. Dots for nested fields`,
      },
      q: { type: 'string', description: 'Words to search for' },
      orderBy: { type: 'string', description: 'created_at, updated_at or data.<path>' },
      after: { type: 'string', description: 'A record id' },
      before: { type: 'string' },
      mine: { type: 'boolean', description: 'Only your own' },
    },
  }),
  dataTool('createRecord', {
    name: 'create_record',
    title: 'Add a record',
    description: 'Adds a record. The first one creates the collection.',
    effect: 'write',
    source: RECORDS,
    input: { ...PAGE, data: OBJECT },
  }),
  dataTool('updateRecord', {
    name: 'update_record',
    title: 'Change a record',
    description:
      'Sets the given top-level fields of a record; null removes one. With replace=true, data is all of it. With at instead of data, brings it back as before that change.',
    effect: 'destructive',
    keeps: 'records',
    source: RECORDS,
    also: [
      { given: 'at', name: 'restoreRecord' },
      { given: 'replace', is: true, name: 'replaceRecord' },
    ],
    adds: ['at', 'replace'],
    input: { ...RECORD, data: OBJECT, at: { type: 'string' }, replace: { type: 'boolean' } },
  }),
  dataTool('batchRecords', {
    name: 'batch_records',
    title: 'Change many records',
    description: `Runs up to ${MAX_BATCH} operations on one collection: all or none. Returns the ids.`,
    effect: 'destructive',
    keeps: 'records',
    source: RECORDS,
    shape: onlyIds,
    input: {
      ...PAGE,
      operations: {
        type: 'array',
        description:
          '{"op":"create","data":{}}, {"op":"update"|"replace","id","data"} or {"op":"delete","id"}',
        items: OBJECT,
      },
    },
  }),
  dataTool('deleteRecord', {
    name: 'delete_record',
    title: 'Delete a record',
    description: 'Permanently deletes a record.',
    effect: 'destructive',
    keeps: 'records',
    input: RECORD,
  }),
  dataTool('setSchema', {
    name: 'put_collection_schema',
    title: "Set a collection's schema",
    description:
      'Sets what written records must match, and who can do what; schema=null deletes it. {"fields":{"title":{"type":"string","required":true}},"strict":true,"rules":{"read":"anyone","update":"member"},"indexes":["title"],"search":["title"]}. Types: string, number, boolean, enum (values), array (items), object (properties), date. Rules: anyone, user, member, author, admin or owner for read, create, update, delete. Default for teams: members read and add, authors and admins change. search is for q',
    effect: 'destructive',
    source: SCHEMA,
    also: [{ given: 'schema', is: null, name: 'deleteSchema' }],
    input: { ...PAGE, schema: { type: ['object', 'null'] } },
  }),
];

/** The ids of the records that a batch has made or changed. The agent has sent the rest. */
function onlyIds({ results }: BatchResponse, { operations }: Input) {
  const sent = Array.isArray(operations) ? (operations as { id?: string }[]) : [];
  return { results: results.map(({ record }, at) => record?.id ?? sent[at]?.id ?? null) };
}
