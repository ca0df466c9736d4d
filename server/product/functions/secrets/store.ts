import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/storage/index.ts';

/** SQL for the secrets of functions. */

export function listSecrets(db: Db, functionId: number) {
  return db
    .selectFrom('function_secrets')
    .selectAll()
    .where('function_id', '=', functionId)
    .orderBy('name')
    .execute();
}

/** The names and sizes of a function's secrets. A sealed one is base64 of 28 bytes and the secret. */
export function listSecretSizes(db: Db, functionId: number) {
  return db
    .selectFrom('function_secrets')
    .select(['name', sql<number>`length(rtrim(sealed_value, '=')) * 3 / 4 - 28`.as('size')])
    .where('function_id', '=', functionId)
    .orderBy('name')
    .execute();
}

/** Reads any one sealed secret. */
export function findSomeSecret(db: Db) {
  return db.selectFrom('function_secrets').selectAll().limit(1).executeTakeFirst();
}

export async function saveSecret(
  tx: Tx,
  functionId: number,
  name: string,
  sealedValue: string,
): Promise<void> {
  await tx
    .insertInto('function_secrets')
    .values({ function_id: functionId, name, sealed_value: sealedValue })
    .onConflict((conflict) =>
      conflict.columns(['function_id', 'name']).doUpdateSet({ sealed_value: sealedValue }),
    )
    .execute();
}

export async function deleteSecret(tx: Tx, functionId: number, name: string): Promise<void> {
  await tx
    .deleteFrom('function_secrets')
    .where('function_id', '=', functionId)
    .where('name', '=', name)
    .execute();
}
