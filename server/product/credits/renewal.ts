import type { Log } from '../../platform/http/index.ts';
import type { CreditsContext } from './context.ts';
import { RESERVATION_MS } from './reserve.ts';
import { renewReservations } from './store.ts';

/** Often enough that a server that hangs for most of a minute keeps its reservations. */
const EVERY_MS = 10 * 1000;
/** Longer than any paid work takes: a reservation that is still open by then was forgotten. */
const LONGEST_MS = 15 * 60 * 1000;

/** Renews the open reservations of this server while it runs, so that those of a lost server expire soon. */
export interface Renewal {
  begin(reservationId: string): void;
  end(reservationId: string): void;
  stop(): void;
}

export function startRenewal(
  context: CreditsContext & { log: Pick<Log, 'warn'>; everyMs?: number },
): Renewal {
  const { db, now, log } = context;
  const open = new Map<string, number>();

  async function renew(): Promise<void> {
    for (const [id, since] of open) if (now() - since > LONGEST_MS) open.delete(id);
    if (open.size === 0) return;
    await renewReservations(db, [...open.keys()], now() + RESERVATION_MS).catch((error: unknown) =>
      log.warn({ err: error }, 'could not renew credit reservations'),
    );
  }

  const timer = setInterval(renew, context.everyMs ?? EVERY_MS);
  return {
    begin: (id) => void open.set(id, now()),
    end: (id) => void open.delete(id),
    stop: () => clearInterval(timer),
  };
}
