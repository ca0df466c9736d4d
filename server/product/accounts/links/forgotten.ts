import { limitKey } from '../../../lib/addresses.ts';
import { AppError } from '../../../lib/errors.ts';
import { createSemaphore } from '../../../lib/queues.ts';
import type { Limit, Limits } from '../../../platform/coordination/limits/index.ts';
import type { Log } from '../../../platform/http/index.ts';
import type { Mail } from '../../../platform/mail/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { findUserByLogin, type KnownUser, setPasswordAskedAt } from '../model/store.ts';
import { makeLink } from './links.ts';

const PER_ADDRESS = { points: 20, seconds: 15 * 60 };
/**
 * Reset links per account. They last one hour and do not end each other, so somebody who asks for many in the name of
 * another person only makes sure that this person has a link that works.
 */
const PER_ACCOUNT = { points: 3, seconds: 3600 };
const SENT_AT_ONCE = 2;
const MAX_WAITING = 500;

interface ForgottenOptions {
  db: Db;
  mail: Mail;
  limits: Limits;
  baseUrl: string;
  now: () => number;
  log: Log;
}

/**
 * Sends links to people who have forgotten their password, or tells the administrators on a server without mail. The response does not show whether there is such an account,
 * and neither does the time it takes: the mail is written after the response.
 */
export class ForgottenPasswords {
  readonly #options: ForgottenOptions;
  readonly #perAddress: Limit;
  readonly #perAccount: Limit;
  readonly #run = createSemaphore(SENT_AT_ONCE, MAX_WAITING);
  readonly #sending = new Set<Promise<void>>();

  constructor(options: ForgottenOptions) {
    this.#options = options;
    this.#perAddress = options.limits.limit(
      'forgotten-address',
      PER_ADDRESS,
      'Too many requests for a new password from your address. Try again {wait}.',
    );
    this.#perAccount = options.limits.limit(
      'forgotten-account',
      PER_ACCOUNT,
      'Enough mail. Try again {wait}.',
    );
  }

  /** False if this server does not send mail. Then administrators pass links on. */
  get sendsLinks(): boolean {
    return this.#options.mail.isConfigured;
  }

  async request(login: string, address: string): Promise<void> {
    await this.#perAddress.take(limitKey(address));
    if (this.#sending.size >= MAX_WAITING) throw busy();
    const user = await findUserByLogin(this.#options.db, login.trim().toLowerCase());
    if (!user) return;
    const sending = this.#run(() => (this.sendsLinks ? this.#send(user) : this.#tell(user)), busy)
      .catch((error: unknown) =>
        this.#options.log.error({ err: error }, 'A request for a new password was lost'),
      )
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Waits for the mail and the notices that are being written. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#sending);
  }

  async #tell({ id }: KnownUser): Promise<void> {
    await setPasswordAskedAt(this.#options.db, id, this.#options.now());
  }

  async #send({ id, username, email }: KnownUser): Promise<void> {
    const { db, mail } = this.#options;
    const isAllowed = await this.#perAccount.take(String(id)).then(
      () => true,
      () => false,
    );
    if (!isAllowed) return;
    await db.transaction().execute(async (tx) => {
      const { link, expiresAt } = await makeLink(tx, this.#options, { kind: 'reset', userId: id, email });
      const message = { kind: 'password reset', username, link } as const;
      await mail.send(tx, { to: email, userId: id, message, expiresAt });
    });
  }
}

function busy(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'Too many people are asking for this right now. Try again in a few seconds.',
  );
}
