import type { CollectionSchema, SchemaResponse } from '../../../../contract/data/collection-schema.ts';
import { isIndexable } from '../../../../contract/data/index-fields.ts';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Db, GroupCommit, Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { listActions } from '../access/access.ts';
import { demandAccess, type InCollection } from '../access/data-target.ts';
import type { SlowReads } from '../indexes/slow-reads.ts';
import { countPercent, listIndexes } from '../indexes/store.ts';
import { logCollection } from '../log/write-log.ts';
import {
  ensureCollection,
  lookUpCollection,
  MAX_COLLECTIONS_PER_PAGE,
  parseRules,
  tooManyCollections,
} from './collection.ts';
import { type CollectionRow, insertCollection, listSchemas, schemaBytes, setSchema } from './store.ts';

/** Bytes of all schemas of a page. Readers of an agent spec and visitors' MCP clients get them together. */
const MAX_SCHEMA_BYTES_PER_PAGE = 512 * 1024;

interface DefineContext {
  db: Db;
  commit: GroupCommit;
  /** The time for a change of a page's data. */
  readTime(pageId: number): number;
  chargeUsage: ChargeUsage;
  writes: { isLogged: boolean };
  /** Called for what is added to the record log of an owner. */
  noteGrowth(ownerId: number, bytes: number): void;
  /** Called once the new rules of a collection are committed. */
  rulesChanged(target: InCollection): void;
  /** Called once other indexes of a collection are committed. */
  indexesChanged(): void;
  slowReads: SlowReads;
}

/** A collection's schema as it is shown. */
export interface SchemaEntry {
  collection: string;
  storageType: StorageType;
  schema: CollectionSchema;
  /** The state of its indexes, if it has some. */
  indexes?: SchemaResponse['indexes'];
  /** The state of its search, if it has one. */
  search?: SchemaResponse['search'];
  /** Fields whose index would make lists fast that were slow, for the owner. */
  suggestedIndexes?: string[];
}

/** Reads the schema of a collection, for everyone with any access to it. The agent spec shows it to all visitors. */
export async function readSchema(
  { db, slowReads }: Pick<DefineContext, 'db' | 'slowReads'>,
  target: InCollection,
): Promise<SchemaEntry> {
  const { actor, storageType } = target;
  const found = await lookUpCollection(db, target);
  const rules = parseRules(found);
  const actions = listActions(actor, { storageType, rules });
  if (actions.size === 0) demandAccess(target, 'read', { rules });
  if (!found || found.schema === null) throw notFound('A schema of this collection was not found.');
  const entry = toEntry(
    { ...found, storage_type: storageType, schema: found.schema },
    actions.has('define') ? slowReads : undefined,
  );
  if (found.is_indexed === 0) return entry;
  return { ...entry, ...(await readStates(db, found.id)) };
}

async function readStates(db: Db, collectionId: number): Promise<Pick<SchemaResponse, 'indexes' | 'search'>> {
  const indexes: NonNullable<SchemaResponse['indexes']> = [];
  let search: SchemaResponse['search'];
  for (const { kind, field, state, built } of await listIndexes(db, collectionId)) {
    const percent = state === 'building' && { percent: await countPercent(db, collectionId, { built }) };
    if (kind === 'search') search = { state, ...percent };
    else indexes.push({ field, state, ...percent });
  }
  return { ...(indexes.length > 0 && { indexes }), ...(search && { search }) };
}

export async function putSchema(
  context: DefineContext,
  target: InCollection,
  schema: CollectionSchema,
): Promise<SchemaEntry> {
  demandAccess(target, 'define', {});
  const { isRuled, bytes } = await context.commit.run(async (tx) => {
    const old = await ensureCollection(tx, target);
    const next = toColumns(schema);
    const added = countColumnBytes(next) - countColumnBytes(old);
    await charge(context, tx, target, added);
    if (added > 0) assertSchemaBytes((await schemaBytes(tx, target.page.id)) + added);
    await changeSchema(context, tx, target, { present: old, next });
    return { isRuled: next.rules !== old.rules, bytes: countColumnBytes(old) };
  });
  context.noteGrowth(target.page.owner_id, bytes);
  context.indexesChanged();
  if (isRuled) context.rulesChanged(target);
  return readSchema(context, target);
}

export async function removeSchema(context: DefineContext, target: InCollection): Promise<void> {
  demandAccess(target, 'define', {});
  const { hadRules, bytes } = await context.commit.run(async (tx) => {
    const found = await lookUpCollection(tx, target);
    if (!found || found.schema === null) throw notFound('A schema of this collection was not found.');
    await charge(context, tx, target, -countColumnBytes(found));
    await changeSchema(context, tx, target, { present: found, next: { schema: null, rules: null } });
    return { hadRules: found.rules !== null, bytes: countColumnBytes(found) };
  });
  context.noteGrowth(target.page.owner_id, bytes);
  context.indexesChanged();
  if (hadRules) context.rulesChanged(target);
}

/** Stores another schema, and the present one in the record log. */
export async function changeSchema(
  { readTime, writes }: Pick<DefineContext, 'readTime' | 'writes'>,
  tx: Tx,
  { page, actor }: InCollection,
  { present, next }: { present: CollectionRow; next: Columns },
): Promise<void> {
  const { schema, rules } = next;
  const isChanged = schema !== present.schema || rules !== present.rules;
  const authored = { now: readTime(page.id), by: actor?.userId ?? null };
  if (isChanged && writes.isLogged) await logCollection(tx, present.id, authored);
  await setSchema(tx, present.id, { schema, rules, now: authored.now });
}

export function assertSchemaBytes(bytes: number): void {
  if (bytes <= MAX_SCHEMA_BYTES_PER_PAGE) return;
  throw new AppError(
    'QUOTA_EXCEEDED',
    'The schemas of this page would have more than 512 KB together, which is the limit. Use smaller ones.',
  );
}

type Columns = Pick<CollectionRow, 'schema' | 'rules'>;

/** The columns that store a schema. */
function toColumns({ rules = {}, ...schema }: CollectionSchema): Columns {
  const isRuled = Object.values(rules).some((rule) => rule !== undefined);
  return { schema: JSON.stringify(schema), rules: isRuled ? JSON.stringify(rules) : null };
}

const countBytes = (text: string | null) => (text === null ? 0 : Buffer.byteLength(text));
export const countColumnBytes = ({ schema, rules }: Columns) => countBytes(schema) + countBytes(rules);

/** Charges the page's owner for its schemas. */
async function charge(
  { chargeUsage }: DefineContext,
  tx: Tx,
  { page, actor }: InCollection,
  bytes: number,
): Promise<void> {
  if (bytes !== 0) await chargeUsage(tx, page.owner_id, { bytes }, actor?.userId);
}

/** All schemas of a page, for its agent spec. With `slowReads`, they suggest indexes. */
export async function readSchemas(db: Db, pageId: number, slowReads?: SlowReads): Promise<SchemaEntry[]> {
  return (await listSchemas(db, pageId)).map((row) => toEntry(row, slowReads));
}

/** Copies the schemas of the source to a fork. */
export const copySchemas =
  (now: () => number) =>
  async (tx: Tx, from: { id: number }, to: { id: number }): Promise<number> => {
    const schemas = await listSchemas(tx, from.id);
    if (schemas.length > MAX_COLLECTIONS_PER_PAGE) throw tooManyCollections();
    let bytes = 0;
    for (const { name, storage_type, schema, rules } of schemas) {
      const columns = { schema, rules };
      const { id } = await insertCollection(tx, to.id, storage_type, name);
      await setSchema(tx, id, { ...columns, now: now() });
      bytes += countColumnBytes(columns);
    }
    assertSchemaBytes(bytes);
    return bytes;
  };

function toEntry(
  row: { id: number; name: string; storage_type: StorageType; schema: string; rules: string | null },
  slowReads: SlowReads | undefined,
): SchemaEntry {
  const rules = parseRules(row);
  const schema = JSON.parse(row.schema) as CollectionSchema;
  const suggested = slowReads
    ?.list(row.id)
    .filter((field) => isIndexable(schema.fields, field) && !schema.indexes?.includes(field));
  return {
    collection: row.name,
    storageType: row.storage_type,
    schema: { ...schema, ...(rules && { rules }) },
    ...(suggested?.length && { suggestedIndexes: suggested }),
  };
}
