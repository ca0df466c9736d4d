import type { Insertable, Selectable } from 'kysely';
import { countRows, type Db, type Tables, type Tx } from '../../platform/storage/index.ts';

/** SQL for accounts, their ledger and reservations. */

type Account = Selectable<Tables['credit_accounts']>;
type Entries = Partial<Record<Tables['ledger_entries']['account'], number>>;
type Transfer = Insertable<Tables['ledger_transfers']>;
type Reservation = Selectable<Tables['credit_reservations']>;

export async function insertAccount(tx: Tx, userId: number): Promise<void> {
  await tx.insertInto('credit_accounts').values({ user_id: userId, balance_tokens: 0 }).execute();
}

/**
 * Locks an account. Every operation begins with this, so those of one user run in sequence and what they read is valid
 * until they end: a row that was written is locked on both engines.
 */
export function lockAccount(tx: Tx, userId: number): Promise<Account | undefined> {
  return tx
    .updateTable('credit_accounts')
    .set((eb) => ({ held_tokens: eb.ref('held_tokens') }))
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
}

/**
 * The only way to move tokens: the ledger and the account change together. Fails completely if a balance would become
 * negative. Returns the new balance.
 */
export async function insertTransfer(tx: Tx, transfer: Transfer, entries: Entries): Promise<number> {
  const { available = 0, held = 0 } = entries;
  const moved = Object.entries(entries).filter(([, tokens]) => tokens !== 0);
  if (moved.reduce((sum, [, tokens]) => sum + tokens, 0) !== 0)
    throw new Error('a transfer must add up to 0');
  const account = await tx
    .updateTable('credit_accounts')
    .set((eb) => ({
      balance_tokens: eb('balance_tokens', '+', available),
      held_tokens: eb('held_tokens', '+', held),
    }))
    .where('user_id', '=', transfer.user_id)
    .where('balance_tokens', '>=', -available)
    .where('held_tokens', '>=', -held)
    .returning('balance_tokens')
    .executeTakeFirstOrThrow();
  await tx.insertInto('ledger_transfers').values(transfer).execute();
  await tx
    .insertInto('ledger_entries')
    .values(
      moved.map(([name, tokens]) => ({ transfer_id: transfer.id, account: name as keyof Entries, tokens })),
    )
    .execute();
  return account.balance_tokens;
}

export async function findBalance(db: Db, userId: number): Promise<number> {
  const query = db.selectFrom('credit_accounts').select('balance_tokens').where('user_id', '=', userId);
  return (await query.executeTakeFirstOrThrow()).balance_tokens;
}

export function listBalances(db: Db, userIds: number[]) {
  return db
    .selectFrom('credit_accounts')
    .select(['user_id', 'balance_tokens'])
    .where('user_id', 'in', userIds)
    .execute();
}

/** The balance of a user, and the rest of their consent for a page; null if they have not consented. */
export function findMeans(db: Db, userId: number, pageId: number | null) {
  return db
    .selectFrom('credit_accounts')
    .leftJoin('credit_consents', (join) =>
      join
        .onRef('credit_consents.user_id', '=', 'credit_accounts.user_id')
        .on('credit_consents.page_id', '=', pageId),
    )
    .select(['balance_tokens', 'limit_tokens', 'used_tokens'])
    .where('credit_accounts.user_id', '=', userId)
    .executeTakeFirstOrThrow();
}

export async function insertReservation(tx: Tx, reservation: Reservation): Promise<void> {
  await tx.insertInto('credit_reservations').values(reservation).execute();
}

/** The user of a reservation, also after it has ended: it has the id of the transfer that made it. */
export async function findHolder(tx: Tx, reservationId: string): Promise<number | undefined> {
  const query = tx.selectFrom('ledger_transfers').select('user_id').where('id', '=', reservationId);
  return (await query.executeTakeFirst())?.user_id;
}

/** Deletes a reservation; undefined if it was already deleted. */
export function deleteReservation(tx: Tx, id: string): Promise<Reservation | undefined> {
  return tx.deleteFrom('credit_reservations').where('id', '=', id).returningAll().executeTakeFirst();
}

/** Expired reservations, some at a time. */
export async function listOverdue(db: Db, now: number, after: string) {
  return db
    .selectFrom('credit_reservations')
    .select(['id', 'expires_at'])
    .where('expires_at', '<=', now)
    .where('id', '>', after)
    .orderBy('id')
    .limit(100)
    .execute();
}

/** Extends reservations. */
export async function renewReservations(db: Db, ids: string[], expiresAt: number): Promise<void> {
  await db.updateTable('credit_reservations').set({ expires_at: expiresAt }).where('id', 'in', ids).execute();
}

/** A user's history: what was granted and what was spent, newest first. */
export async function listHistory(db: Db, userId: number, page: { limit: number; offset: number }) {
  const query = db
    .selectFrom('ledger_transfers')
    .where('user_id', '=', userId)
    .where('kind', 'in', ['grant', 'settle']);
  const rows = await query
    .innerJoin('ledger_entries', 'ledger_entries.transfer_id', 'ledger_transfers.id')
    .where('account', 'in', ['issued', 'spent'])
    .select(['ledger_transfers.id', 'kind', 'ledger_transfers.page_id', 'feature', 'reason', 'tokens'])
    .select('ledger_transfers.created_at')
    .orderBy('ledger_transfers.created_at', 'desc')
    .orderBy('ledger_transfers.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { rows, total: await countRows(query) };
}
export type StoredHistory = Awaited<ReturnType<typeof listHistory>>['rows'][number];

/** The total that a page has spent of a user's credits, with any consent. */
export async function findSpent(db: Db, userId: number, pageId: number): Promise<number> {
  const { tokens } = await db
    .selectFrom('ledger_transfers')
    .innerJoin('ledger_entries', 'ledger_entries.transfer_id', 'ledger_transfers.id')
    .select((eb) => eb.fn.sum<number | string | null>('tokens').as('tokens'))
    .where('user_id', '=', userId)
    .where('page_id', '=', pageId)
    .where('account', '=', 'spent')
    .executeTakeFirstOrThrow();
  return Number(tokens ?? 0);
}

/** The tokens that a page has spent of a user's credits with some features since a time, or has reserved now. */
export async function sumForVisitors(
  db: Db,
  { userId, pageId, since, of }: { userId: number; pageId: number; since: number; of: string[] },
): Promise<number> {
  const spent = await db
    .selectFrom('ledger_transfers')
    .innerJoin('ledger_entries', 'ledger_entries.transfer_id', 'ledger_transfers.id')
    .select((eb) => eb.fn.sum<number | string | null>('tokens').as('tokens'))
    .where('user_id', '=', userId)
    .where('page_id', '=', pageId)
    .where('feature', 'in', of)
    .where('account', '=', 'spent')
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow();
  const reserved = await db
    .selectFrom('credit_reservations')
    .select((eb) => eb.fn.sum<number | string | null>('tokens').as('tokens'))
    .where('user_id', '=', userId)
    .where('page_id', '=', pageId)
    .where('feature', 'in', of)
    .executeTakeFirstOrThrow();
  return Number(spent.tokens ?? 0) + Number(reserved.tokens ?? 0);
}

/** The tokens that a user has spent with each page since a time, the most first. */
export async function listSpentSince(db: Db, userId: number, since: number, limit: number) {
  const rows = await db
    .selectFrom('ledger_transfers')
    .innerJoin('ledger_entries', 'ledger_entries.transfer_id', 'ledger_transfers.id')
    .select((eb) => ['page_id', eb.fn.sum<number | string>('tokens').as('tokens')])
    .where('user_id', '=', userId)
    .where('kind', '=', 'settle')
    .where('account', '=', 'spent')
    .where('created_at', '>=', since)
    .groupBy('page_id')
    .orderBy('tokens', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ page_id, tokens }) => ({ pageId: page_id, tokens: Number(tokens) }));
}

/** Counts tokens towards a consent. Fails if they exceed its limit. */
export async function useConsent(tx: Tx, userId: number, pageId: number, tokens: number): Promise<void> {
  await tx
    .updateTable('credit_consents')
    .set((eb) => ({ used_tokens: eb('used_tokens', '+', tokens) }))
    .where('user_id', '=', userId)
    .where('page_id', '=', pageId)
    .where((eb) => eb('used_tokens', '<=', eb('limit_tokens', '-', tokens)))
    .returning('used_tokens')
    .executeTakeFirstOrThrow();
}

/** Gives back the unspent rest of a reservation. The consent may have been deleted with its page. */
export async function unuseConsent(tx: Tx, userId: number, pageId: number, tokens: number): Promise<void> {
  await tx
    .updateTable('credit_consents')
    .set((eb) => ({ used_tokens: eb('used_tokens', '-', tokens) }))
    .where('user_id', '=', userId)
    .where('page_id', '=', pageId)
    .execute();
}

/** Detaches reservations from a consent: what they give back must not count towards a later consent. */
export async function detachReservations(tx: Tx, userId: number, pageId: number): Promise<void> {
  await tx
    .updateTable('credit_reservations')
    .set({ is_consented: 0 })
    .where('user_id', '=', userId)
    .where('page_id', '=', pageId)
    .execute();
}
