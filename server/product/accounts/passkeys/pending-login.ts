import { z } from 'zod';
import { hashSecret, randomSecret, type ServiceKey, sign, verify } from '../../../lib/secrets.ts';
import type { Limits } from '../../../platform/coordination/limits/index.ts';
import { type CookieJar, seeOther } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { KnownUser } from '../logins/password-check.ts';
import { findUserById } from '../model/store.ts';

/** How long the second factor can take. */
const PENDING_SECONDS = 600;
const PENDING_COOKIE = 'quire_second_factor';
/** Characters of the path in the cookie: browsers drop cookies of more than 4 KB. */
const MAX_NEXT_LETTERS = 2_000;

const Signed = z.object({ id: z.string(), user: z.number(), password: z.string(), next: z.string() });

/** A login whose password was right. The second factor is missing. */
export interface PendingLogin {
  id: string;
  user: KnownUser;
  /** Where the browser goes after the login. */
  next: string;
}

interface PendingLoginsOptions {
  db: Db;
  key: ServiceKey;
  cookies: CookieJar;
  limits: Limits;
  now: () => number;
}

/** Logins between the password and the second factor. Only the browser keeps them, in a signed cookie. */
export class PendingLogins {
  readonly #options: PendingLoginsOptions;

  constructor(options: PendingLoginsOptions) {
    this.#options = options;
  }

  /** Redirects to the screen that asks for the second factor. */
  ask(user: KnownUser, next: string): Response {
    const { key, cookies, now } = this.#options;
    const signed = {
      id: randomSecret(),
      user: user.id,
      password: hashSecret(user.password_hash),
      next: next.length <= MAX_NEXT_LETTERS ? next : '/',
    };
    const value = sign(key, 'second-factor', signed, now() + PENDING_SECONDS * 1000);
    return seeOther('/login/second-factor', {
      'set-cookie': cookies.set(PENDING_COOKIE, value, PENDING_SECONDS),
    });
  }

  /** Finds the pending login of a browser. Undefined if there is none, or if the password has changed since. */
  async find(request: Request): Promise<PendingLogin | undefined> {
    const { db, key, cookies, now } = this.#options;
    const cookie = cookies.read(request, PENDING_COOKIE);
    const { data } = Signed.safeParse(cookie && verify(key, 'second-factor', cookie, now()));
    const user = data && (await findUserById(db, data.user));
    if (!user || hashSecret(user.password_hash) !== data.password) return undefined;
    return { id: data.id, user, next: data.next };
  }

  /** Marks a pending login as finished. False if it already is: its cookie works once. */
  finish(pending: PendingLogin): Promise<boolean> {
    return this.#options.limits.claim(`second factor ${pending.id}`, PENDING_SECONDS);
  }

  /** The cookie that removes a pending login from the browser. */
  clear(): string {
    return this.#options.cookies.clear(PENDING_COOKIE);
  }
}
