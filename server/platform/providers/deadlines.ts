import { ProviderError } from './failures.ts';

/** How long a provider may take. */
export interface Deadlines {
  /** A chat without a new part. */
  chatIdleMs: number;
  /** A chat in all. */
  chatTotalMs: number;
  /** Everything else. */
  callMs: number;
}

export const DEADLINES: Deadlines = { chatIdleMs: 60_000, chatTotalMs: 5 * 60_000, callMs: 60_000 };

/** A signal that ends with the visitor's, or when the time is over; its reason says which. `stop` it in any case. */
export function startDeadline(visitor: AbortSignal, totalMs: number) {
  const controller = new AbortController();
  const leave = () => controller.abort(visitor.reason);
  const beLate = () => controller.abort(new ProviderError('timeout', 'The provider did not answer in time.'));
  const total = setTimeout(beLate, totalMs);
  visitor.addEventListener('abort', leave, { once: true });
  if (visitor.aborted) leave();

  return {
    signal: controller.signal,

    /** Waits for one step of the work, at most so long. A slow reader between two steps is not the provider's fault. */
    async step<Value>(work: Promise<Value>, stepMs: number): Promise<Value> {
      const timer = setTimeout(beLate, stepMs);
      try {
        return await untilAborted(work, controller.signal);
      } finally {
        clearTimeout(timer);
      }
    },

    /** Ends what may still be going on at the provider. */
    stop(): void {
      clearTimeout(total);
      visitor.removeEventListener('abort', leave);
      controller.abort();
    },
  };
}

/** Does not wait for work that takes no notice of the signal. */
export function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
    if (signal.aborted) giveUp();
  });
}
