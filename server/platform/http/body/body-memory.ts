import { AppError } from '../../../lib/errors.ts';

const MEGABYTE = 1024 * 1024;

/** The most memory that all large request bodies may use together. */
const MEMORY_BYTES = 512 * MEGABYTE;
/** How long a body waits for memory. Proxies drop requests that wait longer. */
const WAIT_MS = 60_000;

interface Waiter {
  sender: string;
  bytes: number;
  begin(): void;
}

/** The memory for large bodies. While a body waits for memory, none of it is read from the connection. */
export interface BodyMemory {
  /** Reserves bytes until `release`. Undefined if memory is available now. */
  reserve(sender: string, bytes: number, signal: AbortSignal): Promise<void> | undefined;
  release(sender: string, bytes: number): void;
}

/**
 * A sender may use at most as many bytes as stay free. So a single sender gets half of the memory, two senders get a
 * third each, and some is always left for the next sender.
 */
export function createBodyMemory(totalBytes = MEMORY_BYTES, waitMs = WAIT_MS): BodyMemory {
  const reserved = new Map<string, number>();
  const waiters = new Set<Waiter>();
  let used = 0;

  const reservedBy = (sender: string) => reserved.get(sender) ?? 0;
  const fits = (sender: string, bytes: number) => reservedBy(sender) + bytes <= totalBytes - used;

  function take(sender: string, bytes: number): void {
    used += bytes;
    reserved.set(sender, reservedBy(sender) + bytes);
  }

  function wait(sender: string, bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        waiters.delete(waiter);
        clearTimeout(deadline);
        signal.removeEventListener('abort', left);
      };
      const left = () => {
        end();
        reject(new AppError('BAD_REQUEST', 'The request body ended before it was complete. Send it again.'));
      };
      const deadline = setTimeout(() => {
        end();
        reject(full());
      }, waitMs);
      const begin = () => {
        end();
        resolve();
      };
      const waiter = { sender, bytes, begin };
      waiters.add(waiter);
      signal.addEventListener('abort', left);
    });
  }

  return {
    reserve(sender, bytes, signal) {
      if (!fits(sender, bytes)) return wait(sender, bytes, signal);
      take(sender, bytes);
      return undefined;
    },
    release(sender, bytes) {
      used -= bytes;
      const left = reservedBy(sender) - bytes;
      if (left > 0) reserved.set(sender, left);
      else reserved.delete(sender);
      for (const waiter of waiters) {
        if (!fits(waiter.sender, waiter.bytes)) continue;
        take(waiter.sender, waiter.bytes);
        waiter.begin();
      }
    },
  };
}

/** Does work with some bytes reserved. Waits until they are free. */
export async function withReserved<Result>(
  memory: BodyMemory,
  { signal }: Request,
  { sender, bytes }: { sender: string; bytes: number },
  work: () => Promise<Result>,
): Promise<Result> {
  await memory.reserve(sender, bytes, signal);
  try {
    return await work();
  } finally {
    memory.release(sender, bytes);
  }
}

function full(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'Too many large requests are in progress. Try again in a few seconds.',
    {},
    {
      headers: { 'retry-after': '5' },
    },
  );
}

const memory = createBodyMemory();

/** The memory that each request has reserved. */
const reservations = new WeakMap<Request, { sender: string; bytes: number }>();

/** Waits until there is memory for a large body, and reserves it until `releaseBody`. */
export async function reserveMemory(request: Request, sender: string, bytes: number): Promise<void> {
  await memory.reserve(sender, bytes, request.signal);
  reservations.set(request, { sender, bytes });
}

/** Frees the reserved memory that a body did not need. */
export function shrinkMemory(request: Request, bytes: number): void {
  const reservation = reservations.get(request);
  if (!reservation || reservation.bytes <= bytes) return;
  memory.release(reservation.sender, reservation.bytes - bytes);
  reservation.bytes = bytes;
}

/** Call this once a request has its response: its body is no longer needed. */
export function releaseBody(request: Request): void {
  const reservation = reservations.get(request);
  if (!reservation) return;
  reservations.delete(request);
  memory.release(reservation.sender, reservation.bytes);
}
