import { setTimeout as pause } from 'node:timers/promises';
import { AppError, notFound } from '../../lib/errors.ts';
import { Sweeper } from '../../lib/loops/sweeper.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Log } from '../../platform/http/index.ts';
import type { Mail } from '../../platform/mail/index.ts';
import type { Storage, Tx } from '../../platform/storage/index.ts';
import type { Deletion } from './codes.ts';
import type { LastStep, LeavingAccounts, RemovalStep } from './context.ts';

/** How long people have to change their minds. */
export const RETURN_MS = 7 * 24 * 3600 * 1000;

const SWEEP_EVERY_MS = 5 * 60_000;
/** How long other nodes leave an account to the one that began to remove it. */
const CLAIM_SECONDS = 60;
/** The pauses before accounts are tried again, for example because a database is still starting. */
const PAUSES_MS = [500, 5_000, 20_000];
/** How often the steps are repeated: something may be stored while the rest is removed. */
const TRIES = 5;

export interface RemovalsOptions {
  storage: Pick<Storage, 'db' | 'engine'>;
  accounts: LeavingAccounts;
  /** Blocks everything that a user owns, or opens it again. */
  blockOwner(tx: Tx, ownerId: number, at: number | null): Promise<() => void>;
  /** Called when logins of a user have ended. */
  loginsEnded(userId: number): void;
  /** The steps of a removal, in order. */
  steps: RemovalStep[];
  lastSteps: LastStep[];
  mail: Pick<Mail, 'send'>;
  limits: Pick<Limits, 'claim'>;
  log: Log;
  now: () => number;
  baseUrl: string;
}

/** A request to delete an account. `by` is undefined for the operator in a shell. */
interface Request {
  by: { userId: number; username: string } | undefined;
  address: string;
  dueAt: number;
}

/** Deletes accounts: seven days after their users asked for it, or when an administrator says. */
export class Removals {
  readonly #options: RemovalsOptions;
  readonly #sweeper: Sweeper;
  readonly #stopping = new AbortController();

  constructor(options: RemovalsOptions) {
    this.#options = options;
    this.#sweeper = new Sweeper({
      everyMs: SWEEP_EVERY_MS,
      log: options.log,
      purges: { 'deleted accounts': (isStopping) => this.#purge(isStopping) },
    });
    // The last process may have been killed while it removed an account.
    void this.sweep();
  }

  /**
   * Blocks the account, which is removed when it is due. Call the returned function when the transaction
   * has committed. Refused for the last administrator.
   */
  async request(tx: Tx, userId: number, { by, address, dueAt }: Request): Promise<() => void> {
    const { accounts, blockOwner, mail, now, baseUrl, loginsEnded } = this.#options;
    await accounts.assertNotLastAdministrator(tx, userId);
    const user = await accounts.setRemovalDue(tx, userId, dueAt);
    if (!user) throw notFound('This user was not found.');
    const announce = await blockOwner(tx, userId, now());
    await recordAudit(tx, {
      actor: by,
      action: by?.userId === userId ? 'user.leave' : 'user.delete',
      target: { kind: 'user', id: userId, name: user.username },
      ownerId: userId,
      address,
      details: { dueAt: new Date(dueAt).toISOString() },
      now: now(),
    });
    if (dueAt > now() && user.email_confirmed_at !== null)
      await mail.send(tx, {
        to: user.email,
        userId,
        expiresAt: dueAt,
        message: {
          kind: 'deletion requested',
          username: user.username,
          deletedAt: dueAt,
          link: `${baseUrl}/login`,
        },
      });
    return () => {
      announce();
      loginsEnded(userId);
      if (dueAt <= now()) void this.sweep();
    };
  }

  /** Restores an account as it was. Its sessions and tokens work again. */
  async keep(deletion: Deletion, address: string): Promise<void> {
    const { storage, accounts, blockOwner, now } = this.#options;
    const { userId } = deletion;
    const announce = await storage.db.transaction().execute(async (tx) => {
      const user = await accounts.keepAccount(tx, deletion, now());
      if (!user)
        throw new AppError('CONFLICT', 'This account is not about to be deleted, or it is too late.');
      await recordAudit(tx, {
        actor: { userId, username: user.username },
        action: 'user.keep',
        target: { kind: 'user', id: userId, name: user.username },
        address,
        now: now(),
      });
      return blockOwner(tx, userId, null);
    });
    announce();
  }

  /** Removes accounts that are due, one after the other. */
  sweep(): Promise<void> {
    return this.#sweeper.sweep();
  }

  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#sweeper.stop();
  }

  async #purge(isStopping: () => boolean): Promise<void> {
    const { storage, accounts, limits, now } = this.#options;
    const claimed = new Set<number>();
    for (const ms of [0, ...PAUSES_MS]) {
      await pause(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      let isLeft = false;
      for (const { id } of await accounts.listDueRemovals(storage.db, now())) {
        if (isStopping()) return;
        if (!claimed.has(id) && !(await limits.claim(`removal ${id}`, CLAIM_SECONDS))) continue;
        claimed.add(id);
        if (!(await this.#tryToRemove(id, isStopping))) isLeft = true;
      }
      if (!isLeft) return;
    }
  }

  async #tryToRemove(userId: number, isStopping: () => boolean): Promise<boolean> {
    const { log } = this.#options;
    try {
      const isRemoved = await this.#remove(userId, isStopping);
      if (isRemoved) log.info({ user: userId }, 'an account was deleted');
      return isRemoved;
    } catch (error) {
      // Log the error and continue: one account must not prevent the removal of others.
      log.warn({ err: error, user: userId }, 'an account could not be deleted yet; trying again later');
      return false;
    }
  }

  /** Removes an account. Every step can be repeated, so it does not matter where a process was killed. */
  async #remove(userId: number, isStopping: () => boolean): Promise<boolean> {
    const { storage, accounts, steps } = this.#options;
    await accounts.ensureRemovedUser(storage.db);
    for (let tries = 1; tries <= TRIES; tries++) {
      for (const step of steps) {
        if (isStopping()) return false;
        if ((await step(userId, isStopping)) === false) return false;
      }
      if (await this.#finish(userId)) return true;
    }
    throw new Error('something is still being stored for this account');
  }

  /** The last transaction. False if something was stored in the meantime: then nothing is changed. */
  async #finish(userId: number): Promise<boolean> {
    const { storage, accounts, lastSteps, now } = this.#options;
    const isPostgres = storage.engine === 'postgres';
    try {
      await storage.db.transaction().execute(async (tx) => {
        const user = await accounts.lockLeaving(tx, userId, now(), isPostgres);
        if (!user) return;
        for (const step of lastSteps)
          if ((await step(tx, { ...user, id: userId })) === false) throw new NotYet();
        await accounts.deleteUser(tx, userId);
        await recordAudit(tx, {
          actor: 'the service',
          action: 'user.remove',
          target: { kind: 'user', id: userId, name: user.username },
          address: '',
          now: now(),
        });
      });
      return true;
    } catch (error) {
      if (error instanceof NotYet) return false;
      throw error;
    }
  }
}

/** Thrown to roll back the last transaction. */
class NotYet extends Error {}
