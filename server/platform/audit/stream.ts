import { randomUUID } from 'node:crypto';
import type { Log } from '../http/index.ts';
import type { Db } from '../storage/index.ts';
import { toRecord } from './read.ts';
import { claimStream, listUnsent, noteSent } from './stream-store.ts';
import { type AuditTarget, openTarget } from './targets.ts';

const LOOK_EVERY_MS = 1_000;
const LAST_PAUSE_MS = 60_000;
/** How long a node has the stream for itself. More than writing a batch can take. */
const CLAIM_MS = 60_000;
const BATCH = 200;
/** On PostgreSQL, an entry can become visible after one with a higher id. No transaction takes longer than this. */
const SETTLE_MS = 10_000;

interface StreamOptions {
  db: Db;
  target: AuditTarget;
  /** Several nodes share PostgreSQL. */
  isPostgres: boolean;
  log: Log;
  now: () => number;
}

/**
 * Writes every entry of the audit log to a file or a syslog server, as JSON, in their order. What could not be written is
 * written later, also after a restart; after a crash, the last entries can be written twice. One node at a time does it.
 */
export class AuditStream {
  readonly #options: StreamOptions;
  readonly #node = randomUUID();
  readonly #write: (lines: string[]) => Promise<void>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: Promise<void> = Promise.resolve();
  #failures = 0;
  #isStopped = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#write = openTarget(options.target);
  }

  start(): void {
    this.#arm(0);
  }

  /** Writes what is left, unless the target does not accept it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
    if (this.#failures === 0) await this.#send();
  }

  #arm(afterMs: number): void {
    this.#timer = setTimeout(() => {
      this.#looking = this.#send().finally(() => {
        if (!this.#isStopped) this.#arm(Math.min(LOOK_EVERY_MS * 2 ** this.#failures, LAST_PAUSE_MS));
      });
    }, afterMs);
    this.#timer.unref();
  }

  async #send(): Promise<void> {
    const { log, target } = this.#options;
    try {
      while (await this.#sendBatch());
      if (this.#failures > 0) log.info(`the audit log is written to ${target.text} again`);
      this.#failures = 0;
    } catch (error) {
      if (this.#failures === 0) log.error({ error }, `the audit log cannot be written to ${target.text}`);
      this.#failures++;
    }
  }

  /** Whether there may be more. */
  async #sendBatch(): Promise<boolean> {
    const { db, isPostgres, now } = this.#options;
    const until = isPostgres ? now() - SETTLE_MS : Number.MAX_SAFE_INTEGER;
    // Most of the time there is nothing, and claiming would be a write.
    if ((await listUnsent(db, { until, limit: 1 })).length === 0) return false;
    if (!(await claimStream(db, { node: this.#node, now: now(), until: now() + CLAIM_MS }))) return false;
    const rows = await listUnsent(db, { until, limit: BATCH });
    const last = rows.at(-1);
    if (!last) return false;
    await this.#write(rows.map((row) => JSON.stringify(toRecord(row))));
    await noteSent(db, { node: this.#node, id: last.id });
    return rows.length === BATCH && !this.#isStopped;
  }
}
