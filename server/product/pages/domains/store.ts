import { sql } from 'kysely';
import { type Db, type DomainRow, firstRow, statement, type Tx } from '../../../platform/storage/index.ts';

/** SQL for domains. */

const verifiedPage = statement((db, domain: string) =>
  db
    .selectFrom('page_domains')
    .select('page_id')
    .where('domain', '=', domain)
    .where('verified_at', 'is not', null),
);

/** The page that has a domain. */
export async function findPageOfDomain(db: Db, domain: string): Promise<number | undefined> {
  return (await firstRow(verifiedPage(db, domain)))?.page_id;
}

export function listDomains(db: Db, pageId: number): Promise<DomainRow[]> {
  return db.selectFrom('page_domains').selectAll().where('page_id', '=', pageId).orderBy('id').execute();
}

export function findDomain(db: Db, pageId: number, domain: string): Promise<DomainRow | undefined> {
  return db
    .selectFrom('page_domains')
    .selectAll()
    .where('page_id', '=', pageId)
    .where('domain', '=', domain)
    .executeTakeFirst();
}

/** The row of the page that has a domain, locked until the transaction ends. */
export function lockHolder(tx: Tx, domain: string): Promise<DomainRow | undefined> {
  return tx
    .updateTable('page_domains')
    .set((eb) => ({ id: eb.ref('id') }))
    .where('domain', '=', domain)
    .where('verified_at', 'is not', null)
    .returningAll()
    .executeTakeFirst();
}

export function insertDomain(
  tx: Tx,
  row: Pick<DomainRow, 'page_id' | 'domain' | 'token' | 'created_at'>,
): Promise<DomainRow> {
  return tx.insertInto('page_domains').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Updates a domain. Undefined if the row no longer exists. */
export function updateDomain(
  tx: Tx,
  id: number,
  changes: Partial<Pick<DomainRow, 'verified_at' | 'checked_at' | 'failing_since' | 'problem'>>,
): Promise<DomainRow | undefined> {
  return tx.updateTable('page_domains').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
}

export async function deleteDomain(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('page_domains').where('id', '=', id).execute();
}

/** Sets the main address of a page: the domain that it has had for the longest time. */
export async function setCanonical(tx: Tx, pageId: number): Promise<void> {
  await tx
    .updateTable('pages')
    .set((eb) => ({
      domain: eb
        .selectFrom('page_domains')
        .select('domain')
        .where('page_id', '=', pageId)
        .where('verified_at', 'is not', null)
        .orderBy('verified_at')
        .orderBy('id')
        .limit(1),
    }))
    .where('id', '=', pageId)
    .execute();
}

/** Verified domains that were last checked long ago. `failingBefore` is for those whose record is missing. */
export function listDue(
  db: Db,
  { before, failingBefore, limit }: { before: number; failingBefore: number; limit: number },
): Promise<DomainRow[]> {
  return db
    .selectFrom('page_domains')
    .selectAll()
    .where('verified_at', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('checked_at', '<=', before),
        eb.and([eb('failing_since', 'is not', null), eb('checked_at', '<=', failingBefore)]),
      ]),
    )
    .orderBy('checked_at')
    .limit(limit)
    .execute();
}

/** Claims the check of a domain. True if this node is the first. */
export async function claimCheck(db: Db, row: DomainRow, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('page_domains')
    .set({ checked_at: now })
    .where('id', '=', row.id)
    .where(sql<boolean>`checked_at is not distinct from ${row.checked_at}`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
