import { z } from 'zod';
import { hashSecret, randomSecret, type ServiceKey, sign, verify } from '../../../lib/secrets.ts';
import type { Limits } from '../../../platform/coordination/limits/index.ts';
import type { CookieJar } from '../../../platform/http/index.ts';

/** How long a challenge is valid. A login screen gets a new one before it expires. */
export const CHALLENGE_SECONDS = 600;

const BROWSER_COOKIE = 'quire_passkey';
const BROWSER_SECONDS = 24 * 3600;
const SECRET = /^[\w-]{43}$/;

const Signed = z.object({
  id: z.string(),
  browser: z.string(),
  purpose: z.enum(['add', 'login', 'second factor']),
  user: z.number().optional(),
});

/** The purpose of a challenge and its user. At a login, the user is not known yet. */
export type Purpose = Pick<z.infer<typeof Signed>, 'purpose' | 'user'>;

/** The client data of a response. `crossOrigin` must not be true: our screens are never in a frame of another site. */
const ClientData = z.object({ challenge: z.string(), crossOrigin: z.literal(false).optional() });

/**
 * Challenges for authenticators. A challenge names its purpose and is signed, so that no node has to store it.
 * It works once, for ten minutes, in the browser that requested it, which has a secret in a cookie. Several tabs can
 * each have one.
 */
export class Challenges {
  readonly #options: { key: ServiceKey; cookies: CookieJar; limits: Limits; now: () => number };

  constructor(options: { key: ServiceKey; cookies: CookieJar; limits: Limits; now: () => number }) {
    this.#options = options;
  }

  /** A challenge in base64url, and the cookie that the browser has to keep. */
  make(request: Request, { purpose, user }: Purpose): { challenge: string; cookie: string } {
    const { key, cookies, now } = this.#options;
    const secret = this.#readSecret(request) ?? randomSecret();
    const signed = { id: randomSecret(), browser: hashSecret(secret), purpose, user };
    const challenge = sign(key, 'passkey', signed, now() + CHALLENGE_SECONDS * 1000);
    return {
      challenge: Buffer.from(challenge).toString('base64url'),
      cookie: cookies.set(BROWSER_COOKIE, secret, BROWSER_SECONDS),
    };
  }

  /**
   * Uses up the challenge that an authenticator has answered. Undefined if it is forged, expired, used, or from another
   * browser.
   */
  async redeem(
    request: Request,
    clientDataJSON: string,
  ): Promise<(Purpose & { challenge: string }) | undefined> {
    const { key, limits, now } = this.#options;
    const clientData = ClientData.safeParse(parse(Buffer.from(clientDataJSON, 'base64url').toString()));
    const challenge = clientData.data?.challenge ?? '';
    const signed = verify(key, 'passkey', Buffer.from(challenge, 'base64url').toString(), now());
    const { data } = Signed.safeParse(signed);
    const secret = this.#readSecret(request);
    if (!data || !secret || data.browser !== hashSecret(secret)) return undefined;
    const isFirst = await limits.claim(`passkey ${data.id}`, CHALLENGE_SECONDS);
    return isFirst ? { purpose: data.purpose, user: data.user, challenge } : undefined;
  }

  #readSecret(request: Request): string | undefined {
    const secret = this.#options.cookies.read(request, BROWSER_COOKIE);
    return secret && SECRET.test(secret) ? secret : undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
