import type { Log } from '../../platform/http/index.ts';
import type { CreditsContext } from './context.ts';
import { release } from './settle.ts';
import { listOverdue } from './store.ts';

const EVERY_MS = 20 * 1000;
/** After an outage no server has been able to renew. Each has this long to do so before its reservations are released. */
const CONFIRM_MS = 30 * 1000;
/** Overdue for this long: its server is certainly gone. */
const LONG_MS = 5 * 60 * 1000;

/** Gives back what a server set aside and then was lost. */
export interface Reaper {
  /** Releases what is overdue and stays so; done at the start and several times a minute. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export function startReaper(context: CreditsContext & { log: Pick<Log, 'warn'>; everyMs?: number }): Reaper {
  const { db, now, log } = context;
  /** What was overdue at the last sweep, with its expiry and when we first saw it. */
  let overdue = new Map<string, { expiresAt: number; seenAt: number }>();
  let sweeping: Promise<void> = Promise.resolve();
  let isStopped = false;

  /** What fails is left for the next time, and keeps nothing else from being released. */
  async function sweepOnce(): Promise<void> {
    const found: typeof overdue = new Map();
    for (let some = await listOverdue(db, now(), ''); some.length > 0; ) {
      for (const { id, expires_at: expiresAt } of some) {
        if (isStopped) return;
        if (!isLeft(id, expiresAt, found)) continue;
        await release(context, id).catch((error: unknown) =>
          log.warn(
            { err: error, reservation: id },
            'credits that were set aside could not be given back yet',
          ),
        );
      }
      some = await listOverdue(db, now(), some.at(-1)?.id ?? '');
    }
    overdue = found;
  }

  /** Whether its server is gone: a running one changes the expiry, whatever its clock says. */
  function isLeft(id: string, expiresAt: number, found: typeof overdue): boolean {
    const before = overdue.get(id);
    const seenAt = before?.expiresAt === expiresAt ? before.seenAt : now();
    found.set(id, { expiresAt, seenAt });
    return now() - seenAt >= CONFIRM_MS || now() - expiresAt >= LONG_MS;
  }

  /** One after the other. */
  function sweep(): Promise<void> {
    if (isStopped) return sweeping;
    sweeping = sweeping.then(sweepOnce).catch((error: unknown) => {
      overdue = new Map();
      log.warn({ err: error }, 'could not look for overdue reservations');
    });
    return sweeping;
  }

  void sweep();
  const timer = setInterval(sweep, context.everyMs ?? EVERY_MS);

  return {
    sweep,
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}
