import { setTimeout as sleep } from 'node:timers/promises';
import { email } from '../../../contract/accounts/accounts.ts';
import { DueLoop } from '../../lib/loops/due-loop.ts';
import { within } from '../../lib/time-limits/within.ts';
import type { Log } from '../http/index.ts';
import type { Db } from '../storage/index.ts';
import { renderMail } from './layout.ts';
import type { MailMessage } from './messages.ts';
import { type Letter, parseSender, SmtpError, type SmtpSettings, sendLetter } from './smtp.ts';
import { claim, countWaiting, expire, findNextDue, finish, listDue, type MailRow } from './store.ts';
import { wordsFor } from './texts/texts.ts';

/** How long to wait before it is tried again to record that a mail was sent. */
const RECORD_AGAIN_MS = 1_000;
/** How long a node has a mail for itself. More than sending can take. */
const CLAIM_MS = 2 * 60_000;
const BATCH = 20;
const AT_ONCE = 5;
/** How long stopping waits for mail that is being sent. */
const FINISH_MS = 3_000;
/** The wait after the first failure of a mail. It doubles with each failure. */
const FIRST_RETRY_MS = 15_000;
const LAST_RETRY_MS = 3600 * 1000;
const JITTER = 0.2;
/** The wait of the whole node when the mail server cannot be used. It doubles with each failure. */
const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 60_000;

interface SenderOptions {
  mail: SmtpSettings;
  baseUrl: string;
  db: Db;
  log: Log;
  now: () => number;
}

/**
 * Sends the mail of the queue. Every node has one: it claims mail that is due, and the database decides which node gets
 * each.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #stopping = new AbortController();
  readonly #counts = { waiting: 0, sent: 0, failed: 0 };
  #loop: DueLoop | undefined;
  /** When sending continues after a pause, by a clock that nobody can set. */
  #pausedUntil = 0;
  #pauses = 0;
  readonly #sending = new Set<Promise<void>>();

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  start(): void {
    const { log, now } = this.#options;
    this.#loop = new DueLoop({ what: 'mail', log, now, startDue: () => this.#startDue() });
  }

  status(): { waiting: number; sent: number; failed: number } {
    return { ...this.#counts };
  }

  /** There is new mail. */
  wake(): void {
    this.#loop?.wake();
  }

  /** Claims nothing more. */
  drain(): void {
    this.#loop?.drain();
  }

  /** Gives mail that is being sent a moment, then hangs up. */
  async stop(): Promise<void> {
    await this.#loop?.stop();
    const all = Promise.all(this.#sending);
    await within(FINISH_MS, all, () => new Error('late')).catch(() => this.#stopping.abort());
    await all;
  }

  /** Starts to send what is due. Returns when to look again. */
  async #startDue(): Promise<number> {
    const { db, now } = this.#options;
    const pauseMs = this.#pausedUntil - performance.now();
    if (pauseMs > 0) return now() + pauseMs;
    // One moment for both: otherwise mail that expires between them would be sent.
    const at = now();
    this.#counts.failed += await expire(db, at);
    await this.#claimDue(at);
    this.#counts.waiting = await countWaiting(db);
    // When all places are taken, the end of a mail is what to wait for.
    const next = this.#isFull ? undefined : await findNextDue(db);
    return next ?? Number.POSITIVE_INFINITY;
  }

  get #mayGoOn(): boolean {
    return this.#loop?.isStopped === false && performance.now() >= this.#pausedUntil;
  }

  get #isFull(): boolean {
    return this.#sending.size >= AT_ONCE;
  }

  /** Sends several at a time, so that one that hangs does not hold up the rest. Servers refuse many. */
  async #claimDue(at: number): Promise<void> {
    const { db, now } = this.#options;
    if (this.#isFull) return;
    for (const row of await listDue(db, at, BATCH)) {
      if (!this.#mayGoOn || this.#isFull) return;
      const claimed = await claim(db, row, now() + CLAIM_MS);
      if (claimed) this.#begin(claimed);
    }
  }

  #begin(row: MailRow): void {
    const { log } = this.#options;
    const work = this.#send(row)
      .catch((error: unknown) =>
        log.warn({ err: error, mail: row.id }, 'could not record what became of a mail'),
      )
      .finally(() => {
        this.#sending.delete(work);
        this.wake();
      });
    this.#sending.add(work);
  }

  async #send(row: MailRow): Promise<void> {
    const { log, mail, now } = this.#options;
    const about = { mail: row.id, kind: row.kind, attempt: row.attempts };
    try {
      await sendLetter(mail, this.#toLetter(row), this.#stopping.signal);
    } catch (error) {
      await this.#failed(
        row,
        error instanceof SmtpError ? error : new SmtpError('It cannot be written.', 'refused'),
      );
      if (!(error instanceof SmtpError)) log.error({ ...about, err: error }, 'a mail could not be written');
      return;
    }
    this.#pauses = 0;
    this.#counts.sent++;
    await this.#record(row, now());
    log.debug(about, 'a mail was sent');
  }

  /** Records a sent mail. Tries for as long as nobody else can claim it: otherwise it would be sent again. */
  async #record(row: MailRow, sentAt: number): Promise<void> {
    const { db, now, log } = this.#options;
    for (;;) {
      try {
        return await finish(db, row, { due_at: null, sent_at: sentAt, last_error: null });
      } catch (error) {
        if (now() >= (row.due_at ?? 0) || this.#stopping.signal.aborted) throw error;
        log.warn({ err: error, mail: row.id }, 'could not record that a mail was sent; trying again');
        await sleep(RECORD_AGAIN_MS, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      }
    }
  }

  async #failed(row: MailRow, { kind, message }: SmtpError): Promise<void> {
    const { db, log, now } = this.#options;
    const about = { mail: row.id, kind: row.kind, attempt: row.attempts, reason: message };
    if (kind === 'server') this.#pause();
    const next = now() + retryMs(row.attempts);
    if (kind === 'refused' || next >= row.expires_at) {
      this.#counts.failed++;
      await finish(db, row, { due_at: null, sent_at: null, last_error: message });
      log.warn(about, 'a mail was given up');
      return;
    }
    await finish(db, row, { due_at: next, sent_at: null, last_error: message });
    log.warn(about, 'a mail was not sent; trying again later');
  }

  #pause(): void {
    const pauseMs = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#pauses++);
    this.#pausedUntil = performance.now() + pauseMs;
  }

  #toLetter(row: MailRow): Letter {
    const { baseUrl, mail } = this.#options;
    const message = JSON.parse(row.content ?? 'null') as MailMessage;
    const [, host] = parseSender(mail.from).address.split('@');
    return {
      ...renderMail(wordsFor(message), { baseUrl }),
      to: email.parse(row.recipient),
      // The id is the same at every attempt, so that a second copy can be recognized.
      messageId: `<quire-${row.id}-${row.created_at}@${host}>`,
    };
  }
}

function retryMs(attempts: number): number {
  const factor = 1 - JITTER + 2 * JITTER * Math.random();
  return Math.round(Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1)) * factor);
}
