import { type Selectable, sql } from 'kysely';
import type { Db, Tables, Tx } from '../../../platform/storage/index.ts';

/** SQL for the secrets of functions. */

export function listSecrets(db: Db, functionId: number) {
  return db
    .selectFrom('function_secrets')
    .selectAll()
    .where('function_id', '=', functionId)
    .orderBy('name')
    .execute();
}

/** What was sealed before keys had ids begins without one. Base64 has no dot. */
export const SEALED_SIZE = sql<number>`(length(rtrim(sealed_value, '=')) - case when substr(sealed_value, 9, 1) = '.' then 9 else 0 end) * 3 / 4 - 28`;

/** The names and sizes of a function's secrets. A sealed one is the id of its key, a dot, and base64 of 28 bytes and the secret. */
export function listSecretSizes(db: Db, functionId: number) {
  return db
    .selectFrom('function_secrets')
    .select(['name', SEALED_SIZE.as('size')])
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

/** A secret as it is stored. */
export type SealedSecret = Selectable<Tables['function_secrets']>;

/** Secrets that were sealed with another key than this one, in the order of their functions and names. */
export function listSealedOtherwise(
  db: Db,
  keyId: string,
  { after, limit }: { after: SealedSecret | undefined; limit: number },
): Promise<Array<SealedSecret & { slug: string }>> {
  return db
    .selectFrom('function_secrets')
    .innerJoin('functions', 'functions.id', 'function_secrets.function_id')
    .selectAll('function_secrets')
    .select('functions.slug')
    .where(sql<boolean>`substr(sealed_value, 1, 9) <> ${`${keyId}.`}`)
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb.or([
          eb('function_id', '>', after?.function_id ?? 0),
          eb.and([eb('function_id', '=', after?.function_id ?? 0), eb('name', '>', after?.name ?? '')]),
        ]),
      ),
    )
    .orderBy('function_id')
    .orderBy('name')
    .limit(limit)
    .execute();
}

/** Replaces how a secret is sealed. False if it has changed meanwhile. */
export async function replaceSealed(tx: Tx, secret: SealedSecret, sealed: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('function_secrets')
    .set({ sealed_value: sealed })
    .where('function_id', '=', secret.function_id)
    .where('name', '=', secret.name)
    .where('sealed_value', '=', secret.sealed_value)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
