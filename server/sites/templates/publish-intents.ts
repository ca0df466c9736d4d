import { z } from 'zod';
import { RequestKey } from '../../../contract/templates/templates.ts';
import { hashSecret, type ServiceKey, sign, verify } from '../../lib/secrets.ts';
import type { CookieJar } from '../../platform/http/index.ts';

const COOKIE = 'quire_publish';
const SECONDS = 3600;
const Intent = z.object({ of: z.string(), key: RequestKey.optional() });
type Intent = z.infer<typeof Intent>;

interface IntentsContext {
  key: ServiceKey;
  cookies: CookieJar;
  now: () => number;
}

/**
 * Remembers in a cookie that this browser has asked to publish something, while its person creates an account or logs
 * in. What it is, is in the address where publishing goes on.
 */
export class PublishIntents {
  readonly #context: IntentsContext;

  constructor(context: IntentsContext) {
    this.#context = context;
  }

  /** Returns the cookie that remembers it. */
  remember(path: string, requestKey: string | undefined): string {
    const { key, cookies, now } = this.#context;
    const intent: Intent = { of: hashSecret(path), key: requestKey };
    const signed = sign(key, 'publish', intent, now() + SECONDS * 1000);
    return cookies.set(COOKIE, signed, SECONDS);
  }

  /** What this browser has asked for, if it is what is at this address. */
  find(request: Request, path: string): Intent | undefined {
    const { key, cookies, now } = this.#context;
    const signed = cookies.read(request, COOKIE);
    const { data } = Intent.safeParse(signed && verify(key, 'publish', signed, now()));
    return data?.of === hashSecret(path) ? data : undefined;
  }

  /** Returns the cookie that ends it. */
  forget(): string {
    return this.#context.cookies.clear(COOKIE);
  }
}
