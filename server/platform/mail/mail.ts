import { email } from '../../../contract/accounts/accounts.ts';
import type { Log } from '../http/index.ts';
import { afterCommit, type Db, lockName, type Tx } from '../storage/index.ts';
import { renderMail } from './layout.ts';
import { chooseLimit, DAY_MS, isWithin, KINDS_OF_SHARES, SHARES_PER_DAY } from './limits.ts';
import type { MailMessage } from './messages.ts';
import { Sender } from './sender.ts';
import type { SmtpSettings } from './smtp.ts';
import { deleteOld, findLastOfBundle, insertMail, listCreated, replaceContent, toMailbox } from './store.ts';
import { wordsFor } from './texts/texts.ts';

/** Mail is no longer useful after this time, unless its sender says otherwise. */
const KEEP_TRYING_MS = DAY_MS;
/** How long the outcome of a mail is kept. Its content is deleted at once. */
const KEEP_ROWS_MS = 30 * DAY_MS;
const PURGED_AT_ONCE = 500;

/** A mail to send. */
export interface NewMail<Message extends MailMessage = MailMessage> {
  to: string;
  message: Message;
  /** The user that the mail is about, or who caused it. The mail is deleted with the user. */
  userId?: number | undefined;
  expiresAt?: number | undefined;
  /** Combines waiting mails with the same key, and sends at most one of them in this time. */
  bundle?: { key: string; everyMs: number; merge(waiting: Message): Message } | undefined;
}

interface MailOptions {
  /** Undefined if the operator has named no mail server. */
  mail: SmtpSettings | undefined;
  baseUrl: string;
  db: Db;
  log: Log;
  now: () => number;
}

/** The mail of the service: a queue in the database, which every node sends from. */
export class Mail {
  readonly #options: MailOptions;
  readonly #sender: Sender | undefined;

  constructor(options: MailOptions) {
    this.#options = options;
    this.#sender = options.mail && new Sender({ ...options, mail: options.mail });
  }

  /** False if the operator has named no mail server. Nothing is queued then. */
  get isConfigured(): boolean {
    return this.#sender !== undefined;
  }

  /** What waits to be sent, and what this node has sent and given up. */
  status(): { waiting: number; sent: number; failed: number } {
    return this.#sender?.status() ?? { waiting: 0, sent: 0, failed: 0 };
  }

  /** Starts to send. */
  start(): void {
    this.#sender?.start();
  }

  /** Claims no more mail, so that other nodes can. */
  drain(): void {
    this.#sender?.drain();
  }

  async stop(): Promise<void> {
    await this.#sender?.stop();
  }

  /** Sends a message if the transaction commits. False if nothing is sent: no mail server, or too much for this address. */
  async send<Message extends MailMessage>(tx: Tx, mail: NewMail<Message>): Promise<boolean> {
    const { log, now } = this.#options;
    const address = email.safeParse(mail.to);
    if (!this.#sender || !address.success) return false;
    const { kind } = mail.message;
    const wake = () => afterCommit(tx, () => this.#sender?.wake());
    const planned = mail.bundle ? await this.#joinBundle(tx, mail) : now();
    if (planned === 'joined') return true;
    if (!(await this.#isWithinLimits(tx, { ...mail, to: address.data }))) {
      log.warn({ kind, user: mail.userId }, 'a mail was not sent: there were too many of its kind');
      return false;
    }
    await insertMail(tx, {
      recipient: address.data,
      user_id: mail.userId ?? null,
      kind,
      bundle: mail.bundle?.key ?? null,
      content: JSON.stringify(mail.message),
      created_at: now(),
      expires_at: mail.expiresAt ?? Math.max(now(), planned) + KEEP_TRYING_MS,
      due_at: planned,
    });
    await wake();
    return true;
  }

  /** The subject and the text of a message, as it would be sent. */
  write(message: MailMessage): { subject: string; text: string } {
    const { subject, text } = renderMail(wordsFor(message), this.#options);
    return { subject, text };
  }

  /** How many more people a person can send a link of a page to now. */
  async sharesLeft(tx: Tx, userId: number): Promise<number> {
    await lockName(tx, `shares of ${userId}`);
    const since = this.#options.now() - DAY_MS;
    const recent = { kinds: KINDS_OF_SHARES, since, limit: SHARES_PER_DAY };
    return SHARES_PER_DAY - (await listCreated(tx, { userId }, recent)).length;
  }

  /** Deletes what is known about old mail. */
  async purge(isStopping: () => boolean): Promise<void> {
    const { db, now } = this.#options;
    while (!isStopping() && (await deleteOld(db, now() - KEEP_ROWS_MS, PURGED_AT_ONCE)) === PURGED_AT_ONCE);
  }

  /** Adds to the mail of the bundle that waits. Otherwise returns when the next one may be sent. */
  async #joinBundle<Message extends MailMessage>(
    tx: Tx,
    { bundle }: NewMail<Message>,
  ): Promise<number | 'joined'> {
    const now = this.#options.now();
    const last = bundle && (await findLastOfBundle(tx, bundle.key));
    if (!last) return now;
    if (last.due_at !== null && last.attempts === 0 && last.content !== null) {
      const content = JSON.stringify(bundle.merge(JSON.parse(last.content) as Message));
      if (await replaceContent(tx, last.id, content)) return 'joined';
    }
    // A mail that a node is sending now counts as sent now.
    const lastAt = last.due_at === null ? (last.sent_at ?? last.created_at) : now;
    return Math.max(now, lastAt + bundle.everyMs);
  }

  async #isWithinLimits(tx: Tx, { to, message: { kind }, userId }: NewMail): Promise<boolean> {
    const now = this.#options.now();
    const recent = { kinds: [kind], since: now - DAY_MS };
    // Locks the sender before the mailbox, as those do who write to many. Otherwise both could wait.
    const isShare = KINDS_OF_SHARES.includes(kind) && userId !== undefined;
    if (isShare && (await this.sharesLeft(tx, userId)) <= 0) return false;
    const mailbox = toMailbox(to);
    // Transactions that send at the same time must count each other's mail.
    await lockName(tx, `mail to ${mailbox}`);
    const earlier = await listCreated(tx, { mailbox }, { ...recent, limit: chooseLimit(kind).day });
    return isWithin(kind, { now, earlier });
  }
}
