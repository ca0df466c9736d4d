import { createHmac } from 'node:crypto';
import { limitKey } from '../../../lib/addresses.ts';
import type { ServiceKey } from '../../../lib/secrets.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';

/** The most addresses per user. The least recently used ones are forgotten. */
const MAX_ADDRESSES = 20;
const KEEP_MS = 180 * 24 * 3600 * 1000;

/** Where users have logged in before. Only keyed hashes are stored, from which nobody can list addresses. */
export class KnownAddresses {
  readonly #options: { db: Db; key: ServiceKey; now: () => number };

  constructor(options: { db: Db; key: ServiceKey; now: () => number }) {
    this.#options = options;
  }

  async isKnown(userId: number, address: string): Promise<boolean> {
    const { db, now } = this.#options;
    const row = await db
      .selectFrom('login_addresses')
      .select('last_seen_at')
      .where('user_id', '=', userId)
      .where('address_hash', 'in', this.#hashes(userId, address))
      .where('last_seen_at', '>', now() - KEEP_MS)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Remembers an address. True if the user has logged in before, but never from this address. */
  async remember(tx: Tx, userId: number, address: string): Promise<boolean> {
    const since = this.#options.now() - KEEP_MS;
    const hashes = this.#hashes(userId, address);
    const [hash = ''] = hashes;
    const known = await tx
      .selectFrom('login_addresses')
      .select(['address_hash', 'last_seen_at'])
      .where('user_id', '=', userId)
      .orderBy('last_seen_at', 'desc')
      .execute();
    const row = { user_id: userId, address_hash: hash, last_seen_at: this.#options.now() };
    await tx
      .insertInto('login_addresses')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['user_id', 'address_hash']).doUpdateSet({ last_seen_at: row.last_seen_at }),
      )
      .execute();
    const others = known.filter(({ address_hash }) => address_hash !== hash);
    const forgotten = others.filter((each, at) => at >= MAX_ADDRESSES - 1 || each.last_seen_at <= since);
    if (forgotten.length > 0)
      await tx
        .deleteFrom('login_addresses')
        .where('user_id', '=', userId)
        .where(
          'address_hash',
          'in',
          forgotten.map(({ address_hash }) => address_hash),
        )
        .execute();
    const isKnown = known.some((each) => hashes.includes(each.address_hash) && each.last_seen_at > since);
    return !isKnown && known.length > 0;
  }

  async purge(): Promise<void> {
    const { db, now } = this.#options;
    await db
      .deleteFrom('login_addresses')
      .where('last_seen_at', '<=', now() - KEEP_MS)
      .execute();
  }

  /** With every accepted key, the one in use first. */
  #hashes(userId: number, address: string): string[] {
    const text = `login-address\n${userId}\n${limitKey(address)}`;
    return this.#options.key.all.map(({ bytes }) =>
      createHmac('sha256', bytes).update(text).digest('base64url'),
    );
  }
}
