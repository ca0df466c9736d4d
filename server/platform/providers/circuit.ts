import { ProviderError } from './failures.ts';

export interface CircuitOptions {
  /** So many failures in a row … */
  failures: number;
  /** … within this time open the circuit … */
  withinMs: number;
  /** … for so long. */
  restMs: number;
  now(): number;
}

/** One try at a provider; exactly one of its endings is told. */
export interface Try {
  succeeded(): void;
  failed(): void;
  /** Nobody waited for the end, so that it says nothing about the provider. */
  abandoned(): void;
}

export interface CircuitStatus {
  isOpen: boolean;
  calls: number;
  failures: number;
  refusals: number;
}

export const CIRCUIT: CircuitOptions = {
  failures: 5,
  withinMs: 60_000,
  restMs: 30_000,
  now: () => performance.now(),
};

/** Spares a provider that fails again and again, and its visitors the waiting: then everyone is refused at once. */
export function createCircuit(options: Partial<CircuitOptions> = {}) {
  const { failures, withinMs, restMs, now } = { ...CIRCUIT, ...options };
  let failedAt: number[] = [];
  let openedAt: number | undefined;
  let isProbing = false;
  const counts = { calls: 0, failures: 0, refusals: 0 };

  /** Throws while the circuit is open. After the rest one try goes through, and its end decides. */
  function enter(): Try {
    if (openedAt === undefined) {
      counts.calls++;
      return { succeeded: close, failed: countFailure, abandoned: () => undefined };
    }
    if (isProbing || now() - openedAt < restMs) {
      counts.refusals++;
      throw new ProviderError('failed', 'The provider has failed several times. Try again in a minute.');
    }
    isProbing = true;
    counts.calls++;
    return { succeeded: close, failed: failAgain, abandoned: () => (isProbing = false) };
  }

  function close(): void {
    // A success that began before the circuit opened says nothing about now.
    if (openedAt !== undefined && !isProbing) return;
    failedAt = [];
    openedAt = undefined;
    isProbing = false;
  }

  function failAgain(): void {
    counts.failures++;
    open();
  }

  function open(): void {
    failedAt = [];
    openedAt = now();
    isProbing = false;
  }

  function countFailure(): void {
    counts.failures++;
    if (openedAt !== undefined) return;
    failedAt = [...failedAt.filter((at) => now() - at < withinMs), now()];
    if (failedAt.length >= failures) open();
  }

  return {
    enter,
    /** How it is, and what came of all tries so far; an open circuit refuses calls without asking the provider. */
    status: (): CircuitStatus => ({ isOpen: openedAt !== undefined, ...counts }),
  };
}

export type Circuit = ReturnType<typeof createCircuit>;
