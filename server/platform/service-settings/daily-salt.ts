import { randomBytes } from 'node:crypto';
import type { Db, PlainRow } from '../storage/index.ts';

const NAME = 'daily salt';
const DAY_MS = 24 * 3600 * 1000;

const dayOf = (moment: number) => moment - (moment % DAY_MS);

/** A salt that is in the database for the rest of its day. It must not outlive it, so backups leave it out. */
export const isDailySalt = (table: string, row: PlainRow) =>
  table === 'service_settings' && row.name === NAME;

/**
 * A random value that all nodes share for one day, in UTC, and that nobody knows afterwards. What is hashed with it
 * cannot be recognised on another day.
 */
export class DailySalt {
  readonly #options: { db: Db; now: () => number };

  constructor(options: { db: Db; now: () => number }) {
    this.#options = options;
  }

  /** The salt of a day. Undefined if that day is over. */
  async read(day: number): Promise<string | undefined> {
    const { db } = this.#options;
    const value = randomBytes(16).toString('base64url');
    const row = await db
      .insertInto('service_settings')
      .values({ name: NAME, value, updated_at: day })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({ value, updated_at: day })
          .where('service_settings.updated_at', '<', day),
      )
      .returning('value')
      .executeTakeFirst();
    return row?.value ?? this.#find(day);
  }

  /** Removes the salt of a day that is over, or that is far away because a clock was wrong. */
  async purge(): Promise<void> {
    const { db, now } = this.#options;
    const today = dayOf(now());
    await db
      .deleteFrom('service_settings')
      .where('name', '=', NAME)
      .where((eb) => eb.or([eb('updated_at', '<', today), eb('updated_at', '>', today + DAY_MS)]))
      .execute();
  }

  /** The salt of a day, if the database has it already. */
  async #find(day: number): Promise<string | undefined> {
    const row = await this.#options.db
      .selectFrom('service_settings')
      .select('value')
      .where('name', '=', NAME)
      .where('updated_at', '=', day)
      .executeTakeFirst();
    return row?.value;
  }
}
