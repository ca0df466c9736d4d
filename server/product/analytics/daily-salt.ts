import { randomBytes } from 'node:crypto';
import { forgetSettingOutside, settingSince } from '../../platform/service-settings/index.ts';
import type { Db, PlainRow } from '../../platform/storage/index.ts';
import { DAY_MS, floorToDay } from './limits.ts';

const NAME = 'daily salt';

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
  read(day: number): Promise<string | undefined> {
    return settingSince(this.#options.db, NAME, day, randomBytes(16).toString('base64url'));
  }

  /** Removes the salt of a day that is over, or that is far away because a clock was wrong. */
  async purge(): Promise<void> {
    const { db, now } = this.#options;
    const today = floorToDay(now());
    await forgetSettingOutside(db, NAME, { from: today, to: today + DAY_MS });
  }
}
