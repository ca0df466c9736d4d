import { ADMIN_SCOPE } from '../../../../contract/scopes.ts';
import { hashSecret, isTokenShaped } from '../../../lib/secrets.ts';
import type { Actor, Identities } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { findSession } from '../model/session-store.ts';
import {
  findBearer,
  hasFamily,
  parseClientFamily,
  parseSessionFamily,
  touchToken,
} from '../model/token-store.ts';
import type { PageSessions } from './page-sessions.ts';
import { type Sessions, unlessDiskFull } from './sessions.ts';

const TOUCH_EVERY_MS = 3600 * 1000;

/** Finds the person behind the credentials of a request, for the gate. */
export function createIdentities(options: {
  db: Db;
  sessions: Sessions;
  pageSessions: PageSessions;
  now: () => number;
}): Identities {
  const { db, sessions, pageSessions, now } = options;
  return {
    async byBearer(token) {
      if (!isTokenShaped(token)) return undefined;
      const found = await findBearer(db, hashSecret(token), now());
      if (!found) return undefined;
      if (now() - (found.last_used_at ?? 0) > TOUCH_EVERY_MS)
        await unlessDiskFull(touchToken(db, found.token_id, now()));
      const family = found.family !== null && { family: found.family };
      const isAdmin = found.is_admin === 1;
      const scopes = found.scopes.split(' ').filter((scope) => isAdmin || scope !== ADMIN_SCOPE);
      const isApp = parseClientFamily(found.family) !== undefined && { isApp: true };
      const isProgram = (isApp || found.kind === 'personal') && { isProgram: true };
      const isForBranches = found.branches_only === 1 && { isForBranches: true };
      const onlyPage = found.page_id !== null && { onlyPage: found.page_id };
      const { id: userId, username, token_id: tokenId } = found;
      const kind = { ...isApp, ...isProgram, ...isForBranches, ...onlyPage };
      return { userId, username, isAdmin, via: 'bearer', scopes, tokenId, ...family, ...kind };
    },
    byLogin: (cookie) => sessions.byCookie(cookie),
    byPageSession: (token, pageId) => pageSessions.find(token, pageId),
  };
}

/**
 * Whether the login behind a request is still valid, for requests that take longer than a token lives. The account can
 * also have been suspended since, or be about to be deleted.
 */
export function createStillLoggedIn({ db, now }: { db: Db; now: () => number }) {
  return async ({ sessionId, family }: Actor): Promise<boolean> => {
    const id = sessionId ?? parseSessionFamily(family);
    if (id !== undefined) return (await findSession(db, { id }, now())) !== undefined;
    return family !== undefined && hasFamily(db, family, now());
  };
}

/** Looks the person behind a credential up again; undefined if it is no longer valid. */
export function createFindAgain(identities: Identities, pageSessions: PageSessions) {
  return (actor: Actor, bearer: string | undefined): Promise<Actor | undefined> => {
    if (actor.via === 'bearer') return identities.byBearer(bearer ?? '');
    const { isCheck, isTrial, sessionId: session, userId: checker, tokenId: token, maxRole, endsAt } = actor;
    if (isCheck) return pageSessions.findAgain({ checker, token, isTrial, endsAt });
    return pageSessions.findAgain(session === undefined ? {} : { session, maxRole, endsAt });
  };
}
