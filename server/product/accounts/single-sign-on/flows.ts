import { z } from 'zod';
import { randomSecret, type ServiceKey, sign, verify } from '../../../lib/secrets.ts';
import type { Limits } from '../../../platform/coordination/limits/index.ts';
import type { CookieJar } from '../../../platform/http/index.ts';
import { Identity } from './identity.ts';

const COOKIE = 'quire_sso_';
const SECONDS = 10 * 60;
/** Logins that one browser can have open, in several tabs. Their cookies come with every request. */
const MAX_OPEN = 5;
const MAX_OPEN_BYTES = 6 * 1024;
/** Characters of `next`. Longer ones would not fit into a cookie. */
export const MAX_NEXT_LETTERS = 1_500;

/** Why somebody logs in with the provider, and what happens afterwards. */
const Purpose = z.object({
  /** Where to go after the login: a path of ours. */
  next: z.string(),
  /** The invite that the person registers with. */
  invite: z.string().optional(),
  /** The session in which a logged-in user connects their account, if they do. */
  connects: z.object({ userId: z.number(), sessionId: z.number() }).optional(),
});
export type Purpose = z.infer<typeof Purpose>;

const Started = Purpose.extend({ state: z.string(), nonce: z.string(), verifier: z.string() });
export type Started = z.infer<typeof Started>;

const Identified = Purpose.extend({ id: z.string(), identity: Identity });
export type Identified = z.infer<typeof Identified>;

/**
 * Logins with the provider that are not finished. Each is a signed cookie of the browser that started it, so that
 * nobody can finish it in another browser, strangers cannot fill anything, and every node knows it.
 */
export class Flows {
  readonly #options: { key: ServiceKey; cookies: CookieJar; limits: Limits; now: () => number };

  constructor(options: { key: ServiceKey; cookies: CookieJar; limits: Limits; now: () => number }) {
    this.#options = options;
  }

  /** Starts a login. The cookies also end the oldest login, if there are too many. */
  start(request: Request, purpose: Purpose): { flow: Started; cookies: string[] } {
    const flow = { ...purpose, state: randomSecret(), nonce: randomSecret(), verifier: randomSecret() };
    const value = this.#sign('started', flow);
    return {
      flow,
      cookies: [...this.#endOldest(request, value.length), this.#cookie(shortenState(flow.state), value)],
    };
  }

  /** Finds the login that was started in this browser with this state. */
  started(request: Request, state: string): Started | undefined {
    const value = this.#options.cookies.read(request, COOKIE + shortenState(state));
    const parsed = Started.safeParse(this.#verify('started', value));
    return parsed.success && parsed.data.state === state ? parsed.data : undefined;
  }

  /** Claims a login. False if any node has already accepted a response to it. */
  claim({ state }: Started): Promise<boolean> {
    return this.#options.limits.claim(`sso:${state}`, SECONDS);
  }

  /** Keeps the identity that the provider returned in a cookie, until the person has answered our questions. */
  keep({ state, next, invite }: Started, identity: Identity): { id: string; cookie: string } {
    const id = shortenState(state);
    const value = this.#sign('identified', { id, identity, next, ...(invite !== undefined && { invite }) });
    return { id, cookie: this.#cookie(id, value) };
  }

  /** Finds the identity that came back in this browser. */
  identified(request: Request, id: string): Identified | undefined {
    const value = this.#options.cookies.read(request, COOKIE + id);
    const parsed = Identified.safeParse(this.#verify('identified', value));
    return parsed.success && parsed.data.id === id ? parsed.data : undefined;
  }

  end(id: string): string {
    return this.#options.cookies.clear(COOKIE + id);
  }

  #endOldest(request: Request, newBytes: number): string[] {
    const { cookies } = this.#options;
    const open = [...cookies.readAll(request, COOKIE)].map(([id, value]) => ({
      id,
      bytes: value.length,
      expiresAt: this.#readExpiry(value),
    }));
    open.sort((a, b) => b.expiresAt - a.expiresAt);
    let [count, bytes] = [1, newBytes];
    return open.flatMap((each) => {
      count++;
      bytes += each.bytes;
      const isKept = each.expiresAt > 0 && count <= MAX_OPEN && bytes <= MAX_OPEN_BYTES;
      return isKept ? [] : [cookies.clear(COOKIE + each.id)];
    });
  }

  #readExpiry(value: string): number {
    const read = this.#verify('started', value) ?? this.#verify('identified', value);
    return z.object({ exp: z.number() }).safeParse(read).data?.exp ?? 0;
  }

  #cookie(id: string, value: string): string {
    return this.#options.cookies.set(COOKIE + id, value, SECONDS);
  }

  #sign(stage: 'started' | 'identified', value: object): string {
    const { key, now } = this.#options;
    return sign(key, `sso-${stage}`, value, now() + SECONDS * 1000);
  }

  #verify(stage: 'started' | 'identified', value: string | undefined): unknown {
    const { key, now } = this.#options;
    return value === undefined ? undefined : verify(key, `sso-${stage}`, value, now());
  }
}

/** A short id that distinguishes the open logins of one browser. */
export function shortenState(state: string): string {
  return state.slice(0, 12).replace(/[^\w-]/g, '');
}
