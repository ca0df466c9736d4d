import { z } from 'zod';
import { PreviewedAs } from '../../../../contract/pages/previews.ts';
import { makeSeal, type ServiceKey, sign, verify } from '../../../lib/secrets.ts';
import type { PageAccess } from './access-policy.ts';

/** How long a visitor does not have to give the password again. */
export const PASS_SECONDS = 7 * 24 * 3600;

/** How long the files of a page that somebody has opened can be loaded. */
const FILE_KEY_SECONDS = 2 * 3600;

/** How long a link to a draft or a version works, at least. */
const PREVIEW_MS = 7 * 24 * 3600 * 1000;
/** Links that are made within an hour are the same. */
const PREVIEW_STEP_MS = 3600 * 1000;

const PURPOSE = 'page-pass';
const PREVIEW_PURPOSE = 'page-preview';
const FILES_PURPOSE = 'page-files';
const SignedPass = z.object({ page: z.number(), stamp: z.string() });
const SignedKey = SignedPass.extend({
  hasPass: z.boolean(),
  session: z.number().optional(),
  checker: z.number().optional(),
  maxRole: PreviewedAs.optional(),
  endsAt: z.number().optional(),
});

const SignedPreview = SignedPass.extend({
  /** The user who made the link. It ends when they can no longer work on the page. */
  by: z.number(),
  draft: z.number().optional(),
  version: z.number().optional(),
});

/** The content of a link: the draft or version that it shows, and who made it. */
export type Previewed = Omit<z.infer<typeof SignedPreview>, 'page' | 'stamp'>;
type ReadPreview = z.infer<typeof SignedPreview>;

/** Somebody who can see a page: with a pass, with a login, or both. */
export type KeyHolder = Omit<z.infer<typeof SignedKey>, 'page' | 'stamp'>;

type Passable = Pick<PageAccess, 'id' | 'access_stamp'>;
type Expiring = Passable & Pick<PageAccess, 'access_expires_at'>;

/**
 * A pass is the proof that somebody gave the password of a page. It holds no person, and ends when the page's password
 * or mode changes or the page is unpublished, because it has the stamp that the page had then.
 */
export class Passes {
  readonly #key: ServiceKey;
  readonly #now: () => number;

  constructor({ key, now }: { key: ServiceKey; now: () => number }) {
    this.#key = key;
    this.#now = now;
  }

  make(page: Passable): string {
    return this.#sign(PURPOSE, page, PASS_SECONDS);
  }

  isValid(pass: string | undefined, page: Passable): boolean {
    const parsed = SignedPass.safeParse(pass && verify(this.#key, PURPOSE, pass, this.#now()));
    return parsed.success && isFor(page, parsed.data);
  }

  /**
   * A key opens only the files of a page. It is a part of their addresses, for pages whose requests carry no cookies. It
   * says who it was given to, so that it opens nothing once they cannot see the page any more.
   */
  makeFileKey(page: Passable, holder: KeyHolder): string {
    return this.#sign(FILES_PURPOSE, page, FILE_KEY_SECONDS, holder);
  }

  /** Who the key was given to; undefined if it is not a key of this page, or an old one. */
  readFileKey(key: string, page: Passable): KeyHolder | undefined {
    const parsed = SignedKey.safeParse(verify(this.#key, FILES_PURPOSE, key, this.#now()));
    return parsed.success && isFor(page, parsed.data) ? parsed.data : undefined;
  }

  /** Shows one draft or version of a page to anyone, until the access to the page or of its maker changes or ends. */
  makePreview(page: Expiring, previewed: Previewed): { token: string; expiresAt: number } {
    const latest = Math.ceil((this.#now() + PREVIEW_MS) / PREVIEW_STEP_MS) * PREVIEW_STEP_MS;
    const expiresAt = Math.min(latest, page.access_expires_at ?? latest);
    const content = { ...previewed, page: page.id, stamp: page.access_stamp };
    return { token: sign(this.#key, PREVIEW_PURPOSE, content, expiresAt), expiresAt };
  }

  /** Reads a preview link. Undefined if it is forged or has expired. */
  readPreview(token: string): ReadPreview | undefined {
    return SignedPreview.safeParse(verify(this.#key, PREVIEW_PURPOSE, token, this.#now())).data;
  }

  isValidPreview(preview: ReadPreview, page: Expiring): boolean {
    // The end of access may have been set after the link was made.
    return isFor(page, preview) && (page.access_expires_at ?? Number.POSITIVE_INFINITY) > this.#now();
  }

  /** What a folder shows to prove that it belongs to a page. */
  makeFolderSeal({ id }: Pick<Passable, 'id'>): string {
    return makeSeal(this.#key, 'page-folder', id);
  }

  #sign(purpose: string, page: Passable, seconds: number, more = {}): string {
    const content = { ...more, page: page.id, stamp: page.access_stamp };
    return sign(this.#key, purpose, content, this.#now() + seconds * 1000);
  }
}

function isFor(page: Passable, signed: z.infer<typeof SignedPass>): boolean {
  return signed.page === page.id && signed.stamp === page.access_stamp;
}
