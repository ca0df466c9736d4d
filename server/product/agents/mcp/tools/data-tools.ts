import { MAX_BATCH } from '../../../../../contract/rules/limits.ts';
import { WHERE_OPERATORS } from '../../../../../contract/rules/where-operators.ts';
import { type Definition, dataTool } from './definition.ts';

const PAGE = { id: { type: 'string', description: 'The id or slug of the page.' } };
const WHERE = {
  type: 'object',
  description: `For example {"done":false} or {"age":{"gte":18}}. Operators: ${WHERE_OPERATORS.join(', ')}; and, or. Use dots for nested fields.`,
};
const DATA = { type: 'object', description: 'The fields of the record: any JSON, at most 256 KB.' };
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
  dataTool('listRecords', {
    name: 'query_records',
    title: 'Query records',
    description: 'Returns the records of a collection that you can see, by default newest first.',
    effect: 'read',
    source: RECORDS,
    more: 'Use a smaller limit, and continue with offset, or with after and the last id.',
    input: {
      ...PAGE,
      where: WHERE,
      orderBy: { type: 'string', description: 'created_at, updated_at or data.<path>' },
      after: { type: 'string', description: 'Only records after the one with this id.' },
      before: { type: 'string', description: 'Only records before the one with this id.' },
      mine: { type: 'boolean', description: 'Only your own records, in social-data.' },
    },
  }),
  dataTool('countRecords', {
    name: 'count_records',
    title: 'Count records',
    description: 'Counts records, also by the values of a field (groupBy).',
    effect: 'read',
    source: RECORDS,
    input: { ...PAGE, where: WHERE },
  }),
  dataTool('getRecord', {
    name: 'get_record',
    title: 'Read a record',
    description: 'Returns one record by its id.',
    effect: 'read',
    source: RECORDS,
    input: PAGE,
  }),
  dataTool('getSchema', {
    name: 'get_collection_schema',
    title: "Read a collection's schema",
    description: 'Returns the schema that records of a collection must match.',
    effect: 'read',
    source: SCHEMA,
    input: PAGE,
  }),
  dataTool('createRecord', {
    name: 'create_record',
    title: 'Add a record',
    description: 'Adds a record to a collection. The first record creates the collection.',
    effect: 'write',
    source: RECORDS,
    input: { ...PAGE, data: DATA },
  }),
  dataTool('updateRecord', {
    name: 'update_record',
    title: 'Change a record',
    description:
      'Sets the given top-level fields of a record, and removes those that are null. Other fields do not change.',
    effect: 'destructive',
    source: RECORDS,
    input: { ...PAGE, data: DATA },
  }),
  dataTool('replaceRecord', {
    name: 'replace_record',
    title: 'Replace a record',
    description: 'Replaces all data of a record. Fields that are not given are removed.',
    effect: 'destructive',
    source: RECORDS,
    input: { ...PAGE, data: DATA },
  }),
  dataTool('batchRecords', {
    name: 'batch_records',
    title: 'Change many records',
    description: `Runs up to ${MAX_BATCH} operations (create, update, replace, delete) on one collection: all of them, or none.`,
    effect: 'destructive',
    source: RECORDS,
    more: 'All operations succeeded. Read single records with get_record.',
    input: PAGE,
  }),
  dataTool('deleteRecord', {
    name: 'delete_record',
    title: 'Delete a record',
    description: 'Permanently deletes a record.',
    effect: 'destructive',
    input: PAGE,
  }),
  dataTool('setSchema', {
    name: 'put_collection_schema',
    title: "Set a collection's schema",
    description:
      'Sets the schema that new and changed records of a collection must match: {"fields":{"title":{"type":"string","required":true}},"strict":true}. Types: string, number, boolean, enum, array, object, date. rules says who can do what, instead of the storage mode: {"rules":{"read":"anyone","update":"member"}}, with anyone, user, member, author, admin or owner for read, create, update and delete. Replaces the current schema.',
    effect: 'destructive',
    source: SCHEMA,
    input: { ...PAGE, schema: { type: 'object', description: '{ fields, strict?, rules? }' } },
  }),
  dataTool('deleteSchema', {
    name: 'delete_collection_schema',
    title: "Delete a collection's schema",
    description: 'Deletes the schema of a collection and its rules, so its records can have any fields.',
    effect: 'destructive',
    input: PAGE,
  }),
];
