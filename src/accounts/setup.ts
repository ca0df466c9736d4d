import { AppError } from '../http/index.ts';
import { hashSecret, randomSecret } from '../lib/secrets.ts';
import type { Db } from '../storage/index.ts';
import type { KnownUser } from './attempts.ts';
import { hasAdmin, hasSetupCode, replaceSetupCode, setAdmin, spendSetupCode } from './store.ts';

/** The way to the first administrator: a link that the server prints, good once. */
export interface Setup {
  /** A fresh link while there is no administrator, undefined afterwards. Earlier links stop working. */
  makeLink(): Promise<string | undefined>;
  isOpen(code: string): Promise<boolean>;
  /** Makes the user administrator and uses the code up. */
  promote(code: string, user: Pick<KnownUser, 'username'>): Promise<void>;
}

export function createSetup({ db, baseUrl, now }: { db: Db; baseUrl: string; now: () => number }): Setup {
  return {
    async makeLink() {
      if (await hasAdmin(db)) return undefined;
      const code = randomSecret();
      await replaceSetupCode(db, hashSecret(code), now());
      return `${baseUrl}/setup?code=${code}`;
    },
    isOpen: (code) => hasSetupCode(db, hashSecret(code)),
    async promote(code, user) {
      await db.transaction().execute(async (tx) => {
        if (!(await spendSetupCode(tx, hashSecret(code)))) {
          throw new AppError(
            'NOT_FOUND',
            'This setup link was used already or has been replaced by a newer one.',
          );
        }
        await setAdmin(tx, user.username);
      });
    },
  };
}
