import { hashSecret, randomSecret } from '../../../lib/secrets.ts';
import { type Actor, type CookieJar, LOGIN_COOKIE } from '../../../platform/http/index.ts';
import { type Db, type LoginMethod, storageFailure, type Tx } from '../../../platform/storage/index.ts';
import {
  deleteSessions,
  findSession,
  insertSession,
  listSessionsPast,
  touchSession,
} from '../model/session-store.ts';
import type { KnownUser } from './password-check.ts';

const SESSION_SECONDS = 30 * 24 * 3600;

/** The most sessions per user. The least recently used ones end. */
const MAX_SESSIONS = 100;

/** How often a session in use is extended: not with a write for every request. */
const SLIDE_EVERY_MS = 3600 * 1000;

export type { LoginMethod };

/** How and where a session was started. */
interface LoginOrigin {
  userAgent: string;
  address: string;
  method: LoginMethod;
}

/** Login sessions: started with a password, stored in a cookie, ended by logging out. */
export interface Sessions {
  /** Starts a session and returns its cookie. */
  start(
    user: Pick<KnownUser, 'id'>,
    from: LoginOrigin,
    /** Called first in the transaction that adds the session, so that it can lock the user before anything else. */
    before?: (tx: Tx) => Promise<void>,
  ): Promise<string>;
  /** Finds the user of a session cookie. */
  byCookie(secret: string): Promise<Actor | undefined>;
  /** Finds the user of the session that a page session was made from. */
  byId(id: number): Promise<Actor | undefined>;
  /** Ends the actor's session and returns the cookie that removes it from the browser. */
  end(actor: Actor | undefined): Promise<string>;
}

export function createSessions({
  db,
  cookies,
  now,
  loginsEnded,
}: {
  db: Db;
  cookies: CookieJar;
  now: () => number;
  loginsEnded(userId: number): void;
}): Sessions {
  const cookieFor = (secret: string) => cookies.set(LOGIN_COOKIE, secret, SESSION_SECONDS);

  return {
    async start(user, { userAgent, address, method }, before) {
      const secret = randomSecret();
      const past = await db.transaction().execute(async (tx) => {
        await before?.(tx);
        await insertSession(tx, {
          userId: user.id,
          secretHash: hashSecret(secret),
          userAgent: userAgent.slice(0, 300),
          address,
          method,
          now: now(),
          expiresAt: now() + SESSION_SECONDS * 1000,
        });
        const ids = await listSessionsPast(tx, user.id, MAX_SESSIONS);
        for (const id of ids) await deleteSessions(tx, user.id, { id });
        return ids;
      });
      if (past.length > 0) loginsEnded(user.id);
      return cookieFor(secret);
    },

    async byCookie(secret) {
      const found = await findSession(db, { secretHash: hashSecret(secret) }, now());
      if (!found) return undefined;
      const actor = toActor(found, 'login');
      if (now() - found.last_seen_at < SLIDE_EVERY_MS) return actor;
      await unlessDiskFull(touchSession(db, found.session_id, now(), now() + SESSION_SECONDS * 1000));
      return { ...actor, setCookie: cookieFor(secret) };
    },

    async byId(id) {
      const found = await findSession(db, { id }, now());
      return found && toActor(found, 'page session');
    },

    async end(actor) {
      const { sessionId: id, userId = 0 } = actor ?? {};
      if (id !== undefined) {
        await db.transaction().execute((tx) => deleteSessions(tx, userId, { id }));
        loginsEnded(userId);
      }
      return cookies.clear(LOGIN_COOKIE);
    },
  };
}

function toActor(found: NonNullable<Awaited<ReturnType<typeof findSession>>>, via: Actor['via']): Actor {
  return {
    userId: found.id,
    username: found.username,
    isAdmin: found.is_admin === 1,
    via,
    scopes: [],
    sessionId: found.session_id,
  };
}

/** Ignores a full disk: recording the last use must not prevent reading. */
export async function unlessDiskFull(write: Promise<void>): Promise<void> {
  await write.catch((error: unknown) => {
    if (storageFailure(error) !== 'disk full') throw error;
  });
}
