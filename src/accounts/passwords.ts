import { availableParallelism } from 'node:os';
import { AppError } from '../http/index.ts';
import { createSemaphore } from '../lib/queues.ts';

/** argon2id with the parameters OWASP recommends: 19 MiB, two passes. */
const ARGON2 = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Compares; an unknown user (no hash) costs the same time as a wrong password. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

/** Hashing is heavy by design, so only as much of it runs at once as there are cores. */
export function createPasswords(): Passwords {
  const run = createSemaphore(availableParallelism(), 500);
  const busy = () =>
    new AppError('UNAVAILABLE', 'Too many people are logging in right now. Try again in a few seconds.', {
      headers: { 'retry-after': '5' },
    });
  const hash = (password: string) => run(() => Bun.password.hash(password, ARGON2), busy);
  let decoy: Promise<string> | undefined;

  return {
    hash,
    async verify(password, stored) {
      decoy ??= hash('nobody has this password');
      const against = stored ?? (await decoy);
      const fits = await run(() => Bun.password.verify(password, against), busy);
      return fits && stored !== undefined;
    },
  };
}
