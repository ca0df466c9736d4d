import { sql } from 'kysely';
import type { Db, Tx } from '../handles.ts';
import type { NodesTable } from '../tables.ts';

/** Nodes that are known, by the clock of PostgreSQL: those of machines differ. */

/** Any number that no other lock of ours has. */
const LOCK = 7_403_316_519;
/** Of a node that has been gone for so long, nobody has to know any more. */
const FORGET_MS = 24 * 3600 * 1000;

const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export type FoundNode = Omit<NodesTable, 'seen_at'> & {
  /** For how long it has not been heard of, in milliseconds. */
  age: number;
};

/** Until the transaction is over, no other node looks or notes itself. */
export async function lockNodes(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(tx);
}

export async function listNodes(db: Db): Promise<FoundNode[]> {
  return db
    .selectFrom('nodes')
    .select(['name', 'host', 'address', 'instance', 'keeps_databases'])
    .select(sql<number>`${NOW} - seen_at`.as('age'))
    .orderBy('address')
    .orderBy('name')
    .execute();
}

/** How many databases functions have. */
export async function countDatabases(db: Db): Promise<number> {
  const { total } = await db
    .selectFrom('function_databases')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return total;
}

/** Notes a node; in a cluster, in place of those at its address, of those without one, and of those long gone. */
export async function replaceNodes(tx: Tx, node: Omit<NodesTable, 'seen_at'>): Promise<void> {
  await tx
    .deleteFrom('nodes')
    .where((eb) =>
      eb.or([
        eb('name', '=', node.name),
        ...(node.address === null ? [] : [eb('address', '=', node.address), eb('address', 'is', null)]),
        eb.and([
          eb('keeps_databases', '=', 0),
          eb('seen_at', '<', sql<number>`${NOW} - ${FORGET_MS}::bigint`),
        ]),
      ]),
    )
    .execute();
  await tx
    .insertInto('nodes')
    .values({ ...node, seen_at: NOW })
    .execute();
}

/** Notes that a node runs, or with an age that it has ended; false when another has its place. */
export async function noteNode(db: Db, name: string, instance: string, seenAt?: number): Promise<boolean> {
  const [noted] = await db
    .updateTable('nodes')
    .set({ seen_at: seenAt ?? NOW })
    .where('name', '=', name)
    .where('instance', '=', instance)
    .execute();
  return noted !== undefined && noted.numUpdatedRows > 0n;
}

/** Notes that a node keeps the databases of functions; false when another does. */
export function claimDatabases(db: Db, name: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await lockNodes(tx);
    const keeper = await tx
      .selectFrom('nodes')
      .select('name')
      .where('keeps_databases', '=', 1)
      .where('name', '!=', name)
      .executeTakeFirst();
    if (keeper) return false;
    await tx.updateTable('nodes').set({ keeps_databases: 1 }).where('name', '=', name).execute();
    return true;
  });
}
