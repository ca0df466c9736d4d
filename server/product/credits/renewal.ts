import type { Log } from '../../platform/http/index.ts';
import type { Ledger } from './context.ts';
import { RESERVATION_MS } from './reserve.ts';
import { renewReservations } from './store.ts';

/** How often reservations are renewed: a server that hangs for most of a minute still keeps them. */
const EVERY_MS = 10 * 1000;
/** How long a reservation is renewed: longer than any paid work takes. One that is still open was forgotten. */
const LONGEST_MS = 15 * 60 * 1000;

/** Renews the open reservations of this server while it runs, so that those of a lost server expire soon. */
export class Renewal {
  readonly #context: Ledger & { log: Pick<Log, 'warn'> };
  readonly #open = new Map<string, number>();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(context: Ledger & { log: Pick<Log, 'warn'>; everyMs?: number }) {
    this.#context = context;
    this.#timer = setInterval(() => void this.#renew(), context.everyMs ?? EVERY_MS);
  }

  begin(reservationId: string): void {
    this.#open.set(reservationId, this.#context.now());
  }

  end(reservationId: string): void {
    this.#open.delete(reservationId);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const { db, now, log } = this.#context;
    for (const [id, since] of this.#open) if (now() - since > LONGEST_MS) this.#open.delete(id);
    if (this.#open.size === 0) return;
    await renewReservations(db, [...this.#open.keys()], now() + RESERVATION_MS).catch((error: unknown) =>
      log.warn({ err: error }, 'could not renew credit reservations'),
    );
  }
}
