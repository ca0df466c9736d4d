import { type Selectable, sql } from 'kysely';
import type { Db, Tables } from '../../../platform/storage/index.ts';

/** SQL for proofs, and for reading what a drill has restored. */

export type ProofRow = Selectable<Tables['backup_proofs']>;

/** More than there are ever backups. */
const MAX_PROOFS = 100;

export function listProofs(db: Db): Promise<ProofRow[]> {
  return db.selectFrom('backup_proofs').selectAll().orderBy('at', 'desc').limit(MAX_PROOFS).execute();
}

export function findLastProof(db: Db): Promise<ProofRow | undefined> {
  return db.selectFrom('backup_proofs').selectAll().orderBy('at', 'desc').limit(1).executeTakeFirst();
}

/** Saves the result of a drill. The oldest results are deleted. */
export async function saveProof(db: Db, proof: ProofRow): Promise<void> {
  await db
    .insertInto('backup_proofs')
    .values(proof)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(proof))
    .execute();
  const [oldest] = await db
    .selectFrom('backup_proofs')
    .select('at')
    .orderBy('at', 'desc')
    .offset(MAX_PROOFS)
    .limit(1)
    .execute();
  if (oldest) await db.deleteFrom('backup_proofs').where('at', '<=', oldest.at).execute();
}

/** What SQLite finds wrong with a database. Empty if it finds nothing. */
export async function findDamage(db: Db): Promise<string[]> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(10)`.execute(db);
  const damage = rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
  const { rows: orphans } = await sql<{ table: string }>`pragma foreign_key_check`.execute(db);
  return [...damage, ...orphans.slice(0, 10).map(({ table }) => `a row of ${table} has no parent`)];
}
