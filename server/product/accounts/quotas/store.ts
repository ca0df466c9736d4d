import { type RawBuilder, sql } from 'kysely';
import { type Db, statement, type Tx } from '../../../platform/storage/index.ts';
import type { UsageChange } from '../../ports.ts';

/** SQL for the usage and quotas of users. */

interface Amounts {
  pages: number;
  functions: number;
  bytes: number;
}

/** What a user stores, and their own quotas: null for that of the service, 0 for no limit. */
export function findUsage(db: Db, userId: number) {
  return db
    .selectFrom('usage')
    .innerJoin('users', 'users.id', 'usage.user_id')
    .select([
      'usage.pages',
      'usage.functions',
      'usage.bytes',
      'users.quota_pages',
      'users.quota_functions',
      'users.quota_bytes',
    ])
    .select(['users.suspended_at', 'users.removal_due_at'])
    .where('usage.user_id', '=', userId)
    .executeTakeFirst();
}

const changed = ({ pages, functions, bytes }: Amounts) => ({
  pages: sql<number>`pages + ${pages}`,
  functions: sql<number>`functions + ${functions}`,
  // Never below 0: nodes of an earlier version charge less than this one gives back.
  bytes: sql<number>`case when bytes + ${bytes} < 0 then 0 else bytes + ${bytes} end`,
});

/** The quota of a user: their own, or that of the service. */
function quotaSql(
  column: 'quota_pages' | 'quota_functions' | 'quota_bytes',
  { service, noLimit }: { service: number; noLimit: number },
): RawBuilder<number> {
  const own = sql.ref(`users.${column}`);
  return sql`(select case ${own} when 0 then ${noLimit} else coalesce(${own}, ${service}) end
    from users where users.id = usage.user_id)`;
}

/** Adds to a usage, or gives back. Giving back is never limited, and looks up no quota. */
const giveOrTake = statement(
  (
    db,
    userId: number,
    pages: number,
    functions: number,
    bytes: number,
    databaseBytes: number,
    maxPages: number,
    maxFunctions: number,
    maxBytes: number,
    noLimitOfRows: number,
    noLimitOfBytes: number,
    copiedPages: number,
    copiedFunctions: number,
    copiedBytes: number,
  ) => {
    const ofPages = quotaSql('quota_pages', { service: maxPages, noLimit: noLimitOfRows });
    const ofFunctions = quotaSql('quota_functions', { service: maxFunctions, noLimit: noLimitOfRows });
    const ofBytes = quotaSql('quota_bytes', { service: maxBytes, noLimit: noLimitOfBytes });
    return db
      .updateTable('usage')
      .set(changed({ pages, functions, bytes }))
      .where('user_id', '=', userId)
      .where(sql<boolean>`(${pages} <= 0 or pages - ${copiedPages} + ${pages} <= ${ofPages})`)
      .where(
        sql<boolean>`(${functions} <= 0 or functions - ${copiedFunctions} + ${functions} <= ${ofFunctions})`,
      )
      .where(
        sql<boolean>`(${bytes} <= 0 or bytes - ${copiedBytes} + ${bytes} + ${databaseBytes} <= ${ofBytes})`,
      );
  },
);

/** Adds to the usage of a user, or gives back. False if a quota would be exceeded. */
export async function addUsage(
  tx: Tx,
  userId: number,
  { pages = 0, functions = 0, bytes }: UsageChange,
  quotas: Record<'service' | 'noLimit' | 'copied', Amounts> & { databaseBytes: number },
): Promise<boolean> {
  const { service, noLimit, copied, databaseBytes } = quotas;
  const { numAffectedRows } = await giveOrTake(
    tx,
    ...([userId, pages, functions, bytes, databaseBytes] as const),
    ...([service.pages, service.functions, service.bytes] as const),
    ...([noLimit.pages, noLimit.bytes] as const),
    ...([copied.pages, copied.functions, copied.bytes] as const),
  );
  return numAffectedRows === 1n;
}

/** Adds to the usage of a user, or gives back, without a quota. */
export async function countUsage(
  tx: Tx,
  userId: number,
  { pages = 0, functions = 0, bytes }: UsageChange,
): Promise<void> {
  await tx
    .updateTable('usage')
    .set(changed({ pages, functions, bytes }))
    .where('user_id', '=', userId)
    .execute();
}

/** What every user stores, and what is needed to warn them. */
export function listUsage(db: Db) {
  return db
    .selectFrom('usage')
    .innerJoin('users', 'users.id', 'usage.user_id')
    .select(['usage.user_id', 'usage.bytes', 'usage.functions', 'usage.warned_percent'])
    .select(['users.username', 'users.email', 'users.email_confirmed_at', 'users.quota_bytes'])
    .select(['users.quota_pages', 'users.quota_functions', 'users.suspended_at', 'users.removal_due_at']);
}

/** Notes at which percentage a user was warned. False if another node did so first. */
export async function setWarned(tx: Tx, userId: number, from: number, to: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('usage')
    .set({ warned_percent: to })
    .where('user_id', '=', userId)
    .where('warned_percent', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
