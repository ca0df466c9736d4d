import type { Log } from '../http/index.ts';
import type { CreditsContext } from './context.ts';
import { release } from './settle.ts';
import { listOverdue } from './store.ts';

const EVERY_MS = 60 * 1000;

/** Gives back what a server set aside and then was lost. */
export interface Reaper {
  /** Releases what is overdue; done at the start and every minute. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export function startReaper(context: CreditsContext & { log: Pick<Log, 'warn'>; everyMs?: number }): Reaper {
  const { db, now, log } = context;
  let sweeping: Promise<void> = Promise.resolve();
  let isStopped = false;

  /** What fails is left for the next time, and keeps nothing else from being released. */
  async function sweepOnce(): Promise<void> {
    for (let ids = await listOverdue(db, now(), ''); ids.length > 0; ) {
      for (const id of ids) {
        if (isStopped) return;
        await release(context, id).catch((error: unknown) =>
          log.warn(
            { err: error, reservation: id },
            'credits that were set aside could not be given back yet',
          ),
        );
      }
      ids = await listOverdue(db, now(), ids.at(-1) ?? '');
    }
  }

  /** One after the other. */
  function sweep(): Promise<void> {
    if (isStopped) return sweeping;
    sweeping = sweeping
      .then(sweepOnce)
      .catch((error: unknown) => log.warn({ err: error }, 'overdue reservations could not be looked for'));
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
