import { availableParallelism } from 'node:os';
import { limitKey } from '../../../lib/addresses.ts';
import { AppError } from '../../../lib/errors.ts';
import { createFairQueue } from '../../../lib/fair-queue.ts';

/** argon2id with the parameters OWASP recommends: 19 MiB, two passes. */
const ARGON2 = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

/**
 * The hash that an unknown user's password is compared with, made with the parameters of `ARGON2`, so that an unknown
 * name takes exactly the same steps as a known one.
 */
const DECOY =
  '$argon2id$v=19$m=19456,t=2,p=1$8q32xzeb2RTq9XfFWQqZcMrAbk5bZ1dPjUEah2qvUgc$5899eeE9ehxALX9psas8lD5VqNw0BtjYAeRx24SeW6g';

/** The longest queue. Anyone further back would give up before their turn. */
const MAX_WAITING = 200;

export interface Passwords {
  hash(password: string, address: string): Promise<string>;
  /** Compares a password with a hash. Without a hash (no user or no password) it takes the time of a wrong password. */
  verify(password: string, hash: string | undefined, address: string): Promise<boolean>;
}

/**
 * Hashing is expensive by design, so only one hash per core runs at a time. Addresses take turns: an address that sends
 * a thousand passwords waits for them, and the next address does not.
 */
export function createPasswords(maxWaiting = MAX_WAITING): Passwords {
  const run = createFairQueue({
    width: availableParallelism(),
    maxWaiting,
    refused: () =>
      new AppError(
        'UNAVAILABLE',
        'Too many people are logging in right now. Try again in a few seconds.',
        {},
        {
          headers: { 'retry-after': '5' },
        },
      ),
  });

  return {
    hash: (password, address) => run(limitKey(address), () => Bun.password.hash(password, ARGON2)),
    async verify(password, stored, address) {
      // Accounts that log in without a password have an empty hash.
      const fits = await run(limitKey(address), () => Bun.password.verify(password, stored || DECOY));
      return fits && Boolean(stored);
    },
  };
}
