import { z } from 'zod';
import { type ServiceKey, sign, verify } from '../../lib/secrets.ts';

/** How long a code is valid: long enough to decide. */
const CODE_MS = 30 * 60_000;
const PURPOSE = 'keep account';
const Code = z.object({ user: z.int(), due: z.int() });

/** A requested deletion of an account. A later request for the same account is due at another time. */
export interface Deletion {
  userId: number;
  dueAt: number;
}

/** The screen where a user who has logged in can keep the account that they wanted to delete. */
export const LEAVING_PATH = '/leaving';

/**
 * Proofs that somebody logged in to an account that is about to be deleted. A code is for that one deletion: as soon as
 * it is cancelled, there is nothing left that the code could be used for.
 */
export class LeavingCodes {
  readonly #options: { key: ServiceKey; now: () => number };

  constructor(options: { key: ServiceKey; now: () => number }) {
    this.#options = options;
  }

  /** The path of the screen, with a code that works for a while. */
  linkFor({ userId, dueAt }: Deletion): string {
    const { key, now } = this.#options;
    return `${LEAVING_PATH}?code=${sign(key, PURPOSE, { user: userId, due: dueAt }, now() + CODE_MS)}`;
  }

  /** The deletion that a code is for. */
  read(code: string): Deletion | undefined {
    const { key, now } = this.#options;
    const { data } = Code.safeParse(verify(key, PURPOSE, code, now()));
    return data && { userId: data.user, dueAt: data.due };
  }
}
