import { sql } from 'kysely';
import { type Sizes, toSizes } from '../../../lib/sizes.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { SEALED_SIZE } from '../secrets/store.ts';

/** SQL for what the functions of an owner store. */

export function listStoring(db: Db, ownerId: number) {
  return db
    .selectFrom('functions')
    .select(['id', 'slug', 'display_name', 'page_id', 'database_id'])
    .where('owner_id', '=', ownerId)
    .orderBy('id')
    .execute();
}

/** The bytes of all versions of each function. */
export async function measureVersions(db: Db, ownerId: number): Promise<Sizes> {
  const query = db
    .selectFrom('function_versions')
    .innerJoin('functions', 'functions.id', 'function_versions.function_id')
    .select((eb) => ['function_id as id', eb.fn.sum<number | string>('size').as('bytes')]);
  return toSizes(await query.where('owner_id', '=', ownerId).groupBy('function_id').execute());
}

/** The bytes of the secrets of each function, with their names. */
export async function measureSecrets(db: Db, ownerId: number): Promise<Sizes> {
  const query = db
    .selectFrom('function_secrets')
    .innerJoin('functions', 'functions.id', 'function_secrets.function_id')
    .select(['function_id as id', sql<number>`sum(length(name) + ${SEALED_SIZE})`.as('bytes')]);
  return toSizes(await query.where('owner_id', '=', ownerId).groupBy('function_id').execute());
}

/** The bytes of the messages that wait for each function, or have failed. */
export async function measureQueues(db: Db, ownerId: number): Promise<Sizes> {
  const query = db.selectFrom('function_queues').select(['function_id as id', 'bytes']);
  return toSizes(await query.where('owner_id', '=', ownerId).execute());
}

/** The bytes that an owner was charged for each database and its saved queries. */
export async function listChargedBytes(
  db: Db,
  ownerId: number,
): Promise<Array<{ id: number; bytes: number }>> {
  const rows = await db
    .selectFrom('function_databases')
    .leftJoin('saved_queries', 'saved_queries.database_id', 'function_databases.id')
    .select([
      'function_databases.id',
      'function_databases.bytes as granted',
      sql<number>`coalesce(sum(octet_length(saved_queries.name) + octet_length(saved_queries.sql)), 0)`.as(
        'queries',
      ),
    ])
    .where('function_databases.owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .groupBy(['function_databases.id', 'function_databases.bytes'])
    .execute();
  return rows.map(({ id, granted, queries }) => ({ id, bytes: Number(granted) + Number(queries) }));
}
