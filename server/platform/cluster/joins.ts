import { operationEndpoints } from '../../../contract/operations/endpoints.ts';
import { AppError } from '../../lib/errors.ts';
import { hashSecret } from '../../lib/secrets.ts';
import { handle, type Route } from '../http/index.ts';
import type { Db } from '../storage/index.ts';
import { findJoin, insertJoin, spendJoin } from './join-store.ts';
import { makeJoinToken } from './join-token.ts';

const LIFE_MS = 3600 * 1000;

/** Makes a token with which one machine gets these settings, once, within an hour. */
export async function createJoin(
  db: Db,
  { baseUrl, settings, now }: { baseUrl: string; settings: Record<string, string>; now: number },
): Promise<{ token: string; expiresAt: number }> {
  const token = makeJoinToken(baseUrl);
  const expiresAt = now + LIFE_MS;
  const secretHash = hashSecret(token.lookup);
  await insertJoin(db, { secretHash, sealed: token.seal(settings), now, expiresAt });
  return { token: token.text, expiresAt };
}

/** Gives a new machine the sealed settings of the cluster. */
export function joinRoutes({ db, now }: { db: Db; now: () => number }): Route[] {
  return [
    handle(operationEndpoints.joinCluster, async ({ body }) => {
      const secretHash = hashSecret(body.lookup);
      const join = await findJoin(db, secretHash);
      if (!join)
        throw new AppError(
          'NOT_FOUND',
          'The service does not know this join token. Make a new one with `quire cluster token`.',
        );
      if (join.used_at === null && join.expires_at <= now())
        throw new AppError(
          'NOT_FOUND',
          'This join token has expired. Make a new one with `quire cluster token`: it works for an hour.',
        );
      if (join.used_at !== null || !(await spendJoin(db, secretHash, now())))
        throw new AppError(
          'CONFLICT',
          'This join token was already used. Make a new one with `quire cluster token`. If it was not you who used it, somebody else has the settings of your cluster: replace its passwords and keys.',
        );
      return { sealed: join.sealed };
    }),
  ];
}
