import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { EXPORT_PATH } from '../../../contract/accounts/privacy-endpoints.ts';
import { type ServiceKey, sign, verify } from '../../lib/secrets.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Actor } from '../../platform/http/index.ts';

/** How long a code is valid: long enough to follow the link. */
const CODE_SECONDS = 60;
const PURPOSE = 'export account';
const Code = z.object({ id: z.string(), user: z.int(), session: z.int() });

/**
 * Proofs that the person at a session is its user, for a download: a browser follows a link for it, and a password must
 * not be in one. A code works once, and only in the session that has asked for it.
 */
export class ExportCodes {
  readonly #options: { key: ServiceKey; limits: Pick<Limits, 'claim'>; now: () => number };

  constructor(options: { key: ServiceKey; limits: Pick<Limits, 'claim'>; now: () => number }) {
    this.#options = options;
  }

  linkFor({ userId, sessionId }: Actor): string {
    const { key, now } = this.#options;
    const signed = { id: randomUUID(), user: userId, session: sessionId };
    return `${EXPORT_PATH}?code=${sign(key, PURPOSE, signed, now() + CODE_SECONDS * 1000)}`;
  }

  /** Uses up a code. False if it is forged, expired, used, or of another session. */
  async redeem(code: string, { userId, sessionId }: Actor): Promise<boolean> {
    const { key, limits, now } = this.#options;
    const { data } = Code.safeParse(verify(key, PURPOSE, code, now()));
    if (data?.user !== userId || data.session !== sessionId) return false;
    return limits.claim(`export ${data.id}`, CODE_SECONDS);
  }
}
