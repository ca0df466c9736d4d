import { z } from 'zod';
import { REGISTRATION_MODES, type RegistrationMode } from '../../../contract/accounts/registration-modes.ts';
import type { Db, Tx } from '../storage/index.ts';
import { readSetting, saveSetting } from './store.ts';

const REGISTRATION = 'registration';
const LAST_BACKUPS = 'last backups';
const FIRST_STEPS_HIDDEN = 'first steps hidden';
/** When backups ended last, by their result, in milliseconds. */
const BackupTimes = z.record(z.string(), z.int());

/** Settings in the database, which all nodes share. Until an administrator sets one, the environment decides. */
export class ServiceSettings {
  #lastKnown: RegistrationMode | undefined;
  readonly #options: { db: Db; registration: RegistrationMode; now: () => number };

  constructor(options: { db: Db; registration: RegistrationMode; now: () => number }) {
    this.#options = options;
  }

  /** Who can create an account. */
  async registration(db: Db = this.#options.db): Promise<RegistrationMode> {
    const stored = await readSetting(db, REGISTRATION);
    return REGISTRATION_MODES.find((mode) => mode === stored) ?? this.#options.registration;
  }

  /**
   * Who can register, for public texts: while the database is unavailable, they say what was last known.
   * Where it matters, `registration` decides.
   */
  readonly forReaders = {
    registration: async (): Promise<RegistrationMode> => {
      this.#lastKnown = await this.registration().catch(() => this.#lastKnown);
      return this.#lastKnown ?? this.#options.registration;
    },
  };

  async lastBackups(): Promise<z.infer<typeof BackupTimes>> {
    return BackupTimes.parse(JSON.parse((await readSetting(this.#options.db, LAST_BACKUPS)) ?? '{}'));
  }

  async setLastBackups(times: z.infer<typeof BackupTimes>): Promise<void> {
    const { db, now } = this.#options;
    const value = JSON.stringify(times);
    await db.transaction().execute((tx) => saveSetting(tx, LAST_BACKUPS, value, now()));
  }

  /** Whether administrators have hidden what to set up first. */
  async areFirstStepsHidden(): Promise<boolean> {
    return (await readSetting(this.#options.db, FIRST_STEPS_HIDDEN)) === 'true';
  }

  async hideFirstSteps(isHidden: boolean): Promise<void> {
    const { db, now } = this.#options;
    await db.transaction().execute((tx) => saveSetting(tx, FIRST_STEPS_HIDDEN, String(isHidden), now()));
  }

  async setRegistration(tx: Tx, mode: RegistrationMode): Promise<void> {
    await saveSetting(tx, REGISTRATION, mode, this.#options.now());
  }
}

/** Makes other transactions that lock the same name wait until this one ends. An insert or update is a lock on both engines. */
export async function lockSetting(tx: Tx, name: string): Promise<void> {
  await saveSetting(tx, `lock ${name}`, '', 0);
}
