import { sql } from 'kysely';
import { countRows } from '../count-rows.ts';
import type { Db, Tx } from '../handles.ts';
import type { NodesTable } from '../tables/tables.ts';

/** SQL for registered nodes. It uses PostgreSQL's clock, because the clocks of machines differ. */

/** An arbitrary number that no other advisory lock uses. */
const LOCK = 7_403_316_519;
/** A node that has been gone for this long is deleted. */
const FORGET_MS = 24 * 3600 * 1000;

const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export type FoundNode = Omit<NodesTable, 'seen_at'> & {
  /** Milliseconds since the node last renewed its row. */
  age: number;
};

/** Until the transaction ends, no other node can read or change the registrations. */
export async function lockNodes(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(tx);
}

export async function listNodes(db: Db): Promise<FoundNode[]> {
  return db
    .selectFrom('nodes')
    .select(['name', 'host', 'address', 'instance', 'keeps_databases', 'number', 'fingerprint', 'network'])
    .select(sql<number>`${NOW} - seen_at`.as('age'))
    .orderBy('address')
    .orderBy('name')
    .execute();
}

/** The number of function databases. */
export function countDatabases(db: Db): Promise<number> {
  return countRows(db.selectFrom('function_databases').where('deleted_at', 'is', null));
}

/** Registers a node. In a cluster it replaces nodes at its address, nodes without an address, and nodes long gone. */
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

/** Records that a node is running or, with `seenAt`, has ended. False if another node has taken its place. */
export async function noteNode(db: Db, name: string, instance: string, seenAt?: number): Promise<boolean> {
  const [noted] = await db
    .updateTable('nodes')
    .set({ seen_at: seenAt ?? NOW })
    .where('name', '=', name)
    .where('instance', '=', instance)
    .execute();
  return noted !== undefined && noted.numUpdatedRows > 0n;
}

/** Records that a node stores the function databases. False if another node does. */
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
