import { z } from 'zod';
import { randomSecret, type ServiceKey, sign, verify } from '../../../lib/secrets.ts';
import type { CookieJar } from '../../../platform/http/index.ts';

const COOKIE = 'quire_device';
const PURPOSE = 'device';
const KEEP_SECONDS = 180 * 24 * 3600;
/** The most users of one browser that its cookie names: cookies are sent with every request. */
const MAX_USERS = 10;

const Device = z.object({ id: z.string(), users: z.array(z.number()) });

/**
 * Browsers in which users have logged in with their password before. Only the browser keeps this, in a signed cookie that
 * stays after a logout. It logs nobody in.
 */
export class KnownDevices {
  readonly #options: { key: ServiceKey; cookies: CookieJar; now: () => number };

  constructor(options: { key: ServiceKey; cookies: CookieJar; now: () => number }) {
    this.#options = options;
  }

  /** The browser of a request, if this user has logged in with it; else undefined. */
  find(request: Request, userId: number): string | undefined {
    const device = this.#read(request);
    return device?.users.includes(userId) ? device.id : undefined;
  }

  /** The cookie that makes the browser of a request known for this user. */
  remember(request: Request, userId: number): string {
    const { key, cookies, now } = this.#options;
    const { id, users } = this.#read(request) ?? { id: randomSecret(), users: [] };
    const device = { id, users: [userId, ...users.filter((other) => other !== userId)].slice(0, MAX_USERS) };
    return cookies.set(COOKIE, sign(key, PURPOSE, device, now() + KEEP_SECONDS * 1000), KEEP_SECONDS);
  }

  #read(request: Request): z.infer<typeof Device> | undefined {
    const { key, cookies, now } = this.#options;
    const cookie = cookies.read(request, COOKIE);
    return Device.safeParse(cookie && verify(key, PURPOSE, cookie, now())).data;
  }
}
