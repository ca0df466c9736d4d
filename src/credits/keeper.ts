import type { Log } from '../http/index.ts';
import type { CreditsContext } from './context.ts';
import { RESERVATION_MS } from './reserve.ts';
import { renewReservations } from './store.ts';

/** A server that hangs for most of a minute still has what it set aside. */
const EVERY_MS = 10 * 1000;
/** Longer than anything that is paid for may take: what is not ended by then was forgotten. */
const LONGEST_MS = 15 * 60 * 1000;

/** Keeps what this server has set aside, for as long as it runs. */
export interface Keeper {
  begin(reservationId: string): void;
  end(reservationId: string): void;
  stop(): void;
}

export function startKeeper(context: CreditsContext & { log: Pick<Log, 'warn'>; everyMs?: number }): Keeper {
  const { db, now, log } = context;
  const open = new Map<string, number>();

  async function renew(): Promise<void> {
    for (const [id, since] of open) if (now() - since > LONGEST_MS) open.delete(id);
    if (open.size === 0) return;
    await renewReservations(db, [...open.keys()], now() + RESERVATION_MS).catch((error: unknown) =>
      log.warn({ err: error }, 'credits that are set aside could not be kept for longer'),
    );
  }

  const timer = setInterval(renew, context.everyMs ?? EVERY_MS);
  return {
    begin: (id) => void open.set(id, now()),
    end: (id) => void open.delete(id),
    stop: () => clearInterval(timer),
  };
}
