import { AppError } from '../../../lib/errors.ts';
import { hashSecret, type ServiceKey, sign } from '../../../lib/secrets.ts';
import { recordAudit } from '../../../platform/audit/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { KnownUser } from '../logins/password-check.ts';
import {
  findNewestSetupCode,
  hasAdmin,
  hasSetupCode,
  replaceSetupCodes,
  setAdmin,
  spendSetupCode,
} from '../model/store.ts';

/** Creates the first administrator with a link that the server prints and that works once. */
export interface Setup {
  /**
   * Makes a link if there is no administrator, else undefined. Earlier links stop working, except those of the last
   * few minutes, because nodes that start together print the same one.
   */
  makeLink(): Promise<string | undefined>;
  isOpen(code: string): Promise<boolean>;
  /** Makes the user administrator and uses up the code. */
  promote(code: string, user: Pick<KnownUser, 'id' | 'username'>, address: string): Promise<void>;
}

/** Nodes that start within this time count as started together. */
const TOGETHER_MS = 5 * 60_000;

export function createSetup(options: { db: Db; key: ServiceKey; baseUrl: string; now: () => number }): Setup {
  const { db, key, baseUrl, now } = options;
  return {
    async makeLink() {
      if (await hasAdmin(db)) return undefined;
      const since = now() - TOGETHER_MS;
      const newest = await findNewestSetupCode(db, since);
      const createdAt = newest?.created_at ?? now();
      // The code is derived from the key of all nodes, so that each can print the same code. Only its hash is stored.
      const code = sign(key, 'setup', {}, createdAt).replaceAll('.', '-');
      const hash = hashSecret(code);
      if (newest?.secret_hash !== hash) await replaceSetupCodes(db, hash, { createdAt, since });
      return `${baseUrl}/setup?code=${code}`;
    },
    // A node that started while an administrator was created may have stored a code after all were deleted.
    isOpen: async (code) => (await hasSetupCode(db, hashSecret(code))) && !(await hasAdmin(db)),
    async promote(code, user, address) {
      await db.transaction().execute(async (tx) => {
        if (!(await spendSetupCode(tx, hashSecret(code))) || (await hasAdmin(tx))) {
          throw new AppError(
            'NOT_FOUND',
            'This setup link has already been used or replaced by a newer one. Log in, or use the latest link that the server printed.',
          );
        }
        await setAdmin(tx, user.username);
        const { id, username } = user;
        await recordAudit(tx, {
          ...{ actor: { userId: id, username }, action: 'user.set_up', address, now: now() },
          target: { kind: 'user', id, name: username },
        });
      });
    },
  };
}
