import { z } from 'zod';
import { sign, verify } from '../../lib/secrets.ts';

/** Long enough to decide. */
const CODE_MS = 30 * 60_000;
const PURPOSE = 'keep account';
const Code = z.object({ user: z.int() });

/** The screen where a user who has logged in can keep the account that they wanted to delete. */
export const LEAVING_PATH = '/leaving';

/** Proofs that somebody logged in to an account that is about to be deleted. */
export class LeavingCodes {
  readonly #options: { key: Buffer; now: () => number };

  constructor(options: { key: Buffer; now: () => number }) {
    this.#options = options;
  }

  /** The path of the screen, with a code that works for a while. */
  linkFor(userId: number): string {
    const { key, now } = this.#options;
    return `${LEAVING_PATH}?code=${sign(key, PURPOSE, { user: userId }, now() + CODE_MS)}`;
  }

  /** The user that a code is for. */
  read(code: string): number | undefined {
    const { key, now } = this.#options;
    return Code.safeParse(verify(key, PURPOSE, code, now())).data?.user;
  }
}
