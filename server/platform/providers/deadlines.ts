import { ProviderError } from './failures.ts';

/** How long a provider may take. */
export interface Deadlines {
  /** The longest pause between two parts of a chat. */
  chatIdleMs: number;
  /** The longest time for a whole chat. */
  chatTotalMs: number;
  /** The longest time for any other call. */
  callMs: number;
}

export const DEADLINES: Deadlines = { chatIdleMs: 60_000, chatTotalMs: 5 * 60_000, callMs: 60_000 };

/** A signal that aborts when the visitor leaves or the time is over; its reason says which. Always call `stop`. */
export function startDeadline(visitor: AbortSignal, totalMs: number) {
  const controller = new AbortController();
  const leave = () => controller.abort(visitor.reason);
  const beLate = () => controller.abort(new ProviderError('timeout', 'The provider did not answer in time.'));
  const total = setTimeout(beLate, totalMs);
  visitor.addEventListener('abort', leave, { once: true });
  if (visitor.aborted) leave();

  return {
    signal: controller.signal,

    /** Waits for one step, up to `stepMs`. Time between steps does not count: the reader may be slow. */
    async step<Value>(work: Promise<Value>, stepMs: number): Promise<Value> {
      const timer = setTimeout(beLate, stepMs);
      try {
        return await untilAborted(work, controller.signal);
      } finally {
        clearTimeout(timer);
      }
    },

    /** Aborts any work that the provider is still doing. */
    stop(): void {
      clearTimeout(total);
      visitor.removeEventListener('abort', leave);
      controller.abort();
    },
  };
}

/** Rejects when the signal aborts, even if the work ignores the signal. */
function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
    if (signal.aborted) giveUp();
  });
}
