import { Sweeper } from '../../lib/loops/sweeper.ts';
import type { Log } from '../../platform/http/index.ts';
import type { SpendingLedger } from './context.ts';
import { release } from './settle.ts';
import { listOverdue } from './store.ts';

const EVERY_MS = 20 * 1000;
/**
 * How long servers have to renew their reservations after an outage, before these are released.
 */
const CONFIRM_MS = 30 * 1000;
/** If a reservation is overdue for this long, its server is certainly lost. */
const LONG_MS = 5 * 60 * 1000;

type Overdue = Map<string, { expiresAt: number; seenAt: number }>;

/** Releases the reservations of lost servers: at startup, and several times a minute. */
export class OverdueReservations {
  readonly #context: SpendingLedger & { log: Pick<Log, 'warn'> };
  readonly #sweeper: Sweeper;
  /** The reservations that were overdue at the last sweep, with their expiry and when they were first seen. */
  #overdue: Overdue = new Map();

  constructor(context: SpendingLedger & { log: Pick<Log, 'warn'>; everyMs?: number }) {
    this.#context = context;
    const purges = {
      'overdue credit reservations': (isStopping: () => boolean) => this.#purge(isStopping),
    };
    this.#sweeper = new Sweeper({ everyMs: context.everyMs ?? EVERY_MS, log: context.log, purges });
    void this.sweep();
  }

  /** Releases reservations that are overdue and stay overdue. */
  sweep(): Promise<void> {
    return this.#sweeper.sweep();
  }

  stop(): Promise<void> {
    return this.#sweeper.stop();
  }

  async #purge(isStopping: () => boolean): Promise<void> {
    const { db, now } = this.#context;
    const before = this.#overdue;
    this.#overdue = new Map();
    const found: Overdue = new Map();
    for (let some = await listOverdue(db, now(), ''); some.length > 0; ) {
      for (const { id, expires_at: expiresAt } of some) {
        if (isStopping()) return;
        if (this.#isAbandoned(id, expiresAt, before, found)) await this.#release(id);
      }
      some = await listOverdue(db, now(), some.at(-1)?.id ?? '');
    }
    this.#overdue = found;
  }

  /** Whether the server of a reservation is lost: a running server changes the expiry, regardless of its clock. */
  #isAbandoned(id: string, expiresAt: number, before: Overdue, found: Overdue): boolean {
    const now = this.#context.now();
    const last = before.get(id);
    const seenAt = last?.expiresAt === expiresAt ? last.seenAt : now;
    found.set(id, { expiresAt, seenAt });
    return now - seenAt >= CONFIRM_MS || now - expiresAt >= LONG_MS;
  }

  /** Releases a reservation. A failure is left for the next sweep, and does not block others. */
  async #release(id: string): Promise<void> {
    await release(this.#context, id).catch((error: unknown) =>
      this.#context.log.warn(
        { err: error, reservation: id },
        'a credit reservation could not be released yet',
      ),
    );
  }
}
