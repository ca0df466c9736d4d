import { ProviderError } from './failures.ts';

export interface CircuitOptions {
  /** So many failures in a row open the circuit. */
  failures: number;
  /** Failures count only within this time. */
  withinMs: number;
  /** How long the circuit stays open. */
  restMs: number;
  now(): number;
}

/** One call to a provider. Exactly one of its outcomes is reported. */
export interface Try {
  succeeded(): void;
  failed(): void;
  /** The visitor left before the end, so the outcome says nothing about the provider. */
  abandoned(): void;
}

export interface CircuitStatus {
  isOpen: boolean;
  calls: number;
  failures: number;
  refusals: number;
}

const CIRCUIT: CircuitOptions = {
  failures: 5,
  withinMs: 60_000,
  restMs: 30_000,
  now: () => performance.now(),
};

/** A circuit breaker: when a provider fails repeatedly, calls are refused immediately, so that visitors do not wait. */
export function createCircuit(options: Partial<CircuitOptions> = {}) {
  const { failures, withinMs, restMs, now } = { ...CIRCUIT, ...options };
  let failedAt: number[] = [];
  let openedAt: number | undefined;
  let isProbing = false;
  const counts = { calls: 0, failures: 0, refusals: 0 };

  /** Throws while the circuit is open. After the cooldown one call goes through, and its outcome decides. */
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
    // Ignore a success that began before the circuit opened.
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
    /** Whether the circuit is open, and the outcomes of all calls so far. */
    status: (): CircuitStatus => ({ isOpen: openedAt !== undefined, ...counts }),
  };
}

export type Circuit = ReturnType<typeof createCircuit>;
