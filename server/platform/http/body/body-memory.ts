import { AppError } from '../../../lib/errors.ts';

const MEGABYTE = 1024 * 1024;

/** The most memory that all large request bodies may use together. */
const ROOM_BYTES = 512 * MEGABYTE;
/** Proxies drop requests that wait longer. */
const WAIT_MS = 60_000;

interface Waiter {
  sender: string;
  bytes: number;
  begin(): void;
}

/** The memory for large bodies. While a body waits for memory, none of it is read from the connection. */
export interface BodyRoom {
  /** Undefined if memory is available now. The bytes stay reserved until `leave`. */
  enter(sender: string, bytes: number, signal: AbortSignal): Promise<void> | undefined;
  leave(sender: string, bytes: number): void;
}

/**
 * A sender may use at most as many bytes as stay free. So a single sender gets half of the memory, two senders get a
 * third each, and some is always left for the next sender.
 */
export function createBodyRoom(roomBytes = ROOM_BYTES, waitMs = WAIT_MS): BodyRoom {
  const held = new Map<string, number>();
  const waiters = new Set<Waiter>();
  let used = 0;

  const heldBy = (sender: string) => held.get(sender) ?? 0;
  const fits = (sender: string, bytes: number) => heldBy(sender) + bytes <= roomBytes - used;

  function take(sender: string, bytes: number): void {
    used += bytes;
    held.set(sender, heldBy(sender) + bytes);
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
        reject(new AppError('BAD_REQUEST', 'The request body broke off before its end.'));
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
    enter(sender, bytes, signal) {
      if (!fits(sender, bytes)) return wait(sender, bytes, signal);
      take(sender, bytes);
      return undefined;
    },
    leave(sender, bytes) {
      used -= bytes;
      const left = heldBy(sender) - bytes;
      if (left > 0) held.set(sender, left);
      else held.delete(sender);
      for (const waiter of waiters) {
        if (!fits(waiter.sender, waiter.bytes)) continue;
        take(waiter.sender, waiter.bytes);
        waiter.begin();
      }
    },
  };
}

function full(): AppError {
  return new AppError('UNAVAILABLE', 'Too many large requests are under way. Try again in a few seconds.', {
    headers: { 'retry-after': '5' },
  });
}

const room = createBodyRoom();

/** The memory that each request has reserved. */
const places = new WeakMap<Request, { sender: string; bytes: number }>();

/** Waits until there is memory for a large body, and reserves it until `releaseBody`. */
export async function makeRoom(request: Request, sender: string, bytes: number): Promise<void> {
  await room.enter(sender, bytes, request.signal);
  places.set(request, { sender, bytes });
}

/** Frees the reserved memory that a body did not need. */
export function shrinkRoom(request: Request, bytes: number): void {
  const place = places.get(request);
  if (!place || place.bytes <= bytes) return;
  room.leave(place.sender, place.bytes - bytes);
  place.bytes = bytes;
}

/** Call this once a request has its response: its body is no longer needed. */
export function releaseBody(request: Request): void {
  const place = places.get(request);
  if (!place) return;
  places.delete(request);
  room.leave(place.sender, place.bytes);
}
