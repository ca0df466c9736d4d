import { z } from 'zod';
import { sign, verify } from '../../../lib/secrets.ts';
import type { PageAccess } from './policy.ts';

/** How long a visitor does not have to give the password again. */
export const PASS_SECONDS = 7 * 24 * 3600;

/** How long the files of a page that somebody has opened can be loaded. */
const FILE_KEY_SECONDS = 2 * 3600;

const PURPOSE = 'page-pass';
const FILES_PURPOSE = 'page-files';
const SignedPass = z.object({ page: z.number(), stamp: z.string() });

type Passable = Pick<PageAccess, 'id' | 'access_stamp'>;

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

  make(page: Passable): string {
    return this.#make(PURPOSE, page, PASS_SECONDS);
  }

  isValid(pass: string | undefined, page: Passable): boolean {
    return pass !== undefined && this.#isValid(PURPOSE, pass, page);
  }

  /**
   * A key opens only the files of a page. It is a part of their addresses, for pages whose requests carry no cookies,
   * and is given to somebody who can see the page.
   */
  makeFileKey(page: Passable & Pick<PageAccess, 'access_expires_at'>): string {
    const { access_expires_at: end } = page;
    const leftMs = end === null ? Number.POSITIVE_INFINITY : end - this.#now();
    // Who sees the page after its end is its owner.
    return this.#make(
      FILES_PURPOSE,
      page,
      leftMs > 0 ? Math.min(FILE_KEY_SECONDS, leftMs / 1000) : FILE_KEY_SECONDS,
    );
  }

  opensFiles(key: string, page: Passable): boolean {
    return this.#isValid(FILES_PURPOSE, key, page);
  }

  #make(purpose: string, page: Passable, seconds: number): string {
    const content = { page: page.id, stamp: page.access_stamp };
    return sign(this.#key, purpose, content, this.#now() + seconds * 1000);
  }

  #isValid(purpose: string, signed: string, page: Passable): boolean {
    const parsed = SignedPass.safeParse(verify(this.#key, purpose, signed, this.#now()));
    return parsed.success && parsed.data.page === page.id && parsed.data.stamp === page.access_stamp;
  }
}
