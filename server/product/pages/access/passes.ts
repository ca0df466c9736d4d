import { z } from 'zod';
import { sign, verify } from '../../../lib/secrets.ts';
import type { PageAccess } from './policy.ts';

/** How long a visitor does not have to give the password again. */
export const PASS_SECONDS = 7 * 24 * 3600;

const PURPOSE = 'page-pass';
const SignedPass = z.object({ page: z.number(), stamp: z.string() });

/**
 * A pass is the proof that somebody gave the password of a page. It holds no person, and ends when the page's password
 * or mode changes, because it has the stamp that the page had then.
 */
export class Passes {
  readonly #key: Buffer;
  readonly #now: () => number;

  constructor({ key, now }: { key: Buffer; now: () => number }) {
    this.#key = key;
    this.#now = now;
  }

  make(page: Pick<PageAccess, 'id' | 'access_stamp'>): string {
    const content = { page: page.id, stamp: page.access_stamp };
    return sign(this.#key, PURPOSE, content, this.#now() + PASS_SECONDS * 1000);
  }

  isValid(pass: string | undefined, page: Pick<PageAccess, 'id' | 'access_stamp'>): boolean {
    if (pass === undefined) return false;
    const parsed = SignedPass.safeParse(verify(this.#key, PURPOSE, pass, this.#now()));
    return parsed.success && parsed.data.page === page.id && parsed.data.stamp === page.access_stamp;
  }
}
