import { randomUUID } from 'node:crypto';
import { ADMIN_SCOPE, PASSWORD_SCOPES } from '../../../contract/scopes.ts';
import { AppError } from '../../lib/errors.ts';
import { hashSecret, makeToken } from '../../lib/secrets.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import type { KnownUser } from './attempts.ts';
import {
  countPersonalTokens,
  deleteFamily,
  extendPersonalTokens,
  findRefreshToken,
  insertToken,
  lockLogin,
  sessionFamily,
  spendRefreshToken,
  trimTokens,
} from './token-store.ts';

const ACCESS_SECONDS = 3600;
const REFRESH_SECONDS = 7 * 24 * 3600;
const DASHBOARD_SECONDS = 600;

const MAX_PERSONAL_TOKENS = 100;
/** Per user and kind. Above this, the oldest end. */
const MAX_LOGIN_TOKENS = 1_000;
const MAX_DASHBOARD_TOKENS = 200;

/** Prefixes that let people and scanners distinguish tokens. */
const PREFIX = { access: 'qra_', refresh: 'qrr_', personal: 'qr_', dashboard: 'qrd_' } as const;

interface TokenPair {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
  scopes: readonly string[];
  tokenType: 'Bearer';
}

interface PersonalToken {
  id: number;
  token: string;
  createdAt: number;
  expiresAt: number;
}

/** Creates bearer tokens. */
export class Tokens {
  readonly #db: Db;
  readonly #now: () => number;

  constructor({ db, now }: { db: Db; now: () => number }) {
    this.#db = db;
    this.#now = now;
  }

  /** Creates a pair for a user who gave a password. */
  async issue(
    user: Pick<KnownUser, 'id' | 'is_admin'>,
    scopes: readonly string[] = PASSWORD_SCOPES,
  ): Promise<TokenPair> {
    if (scopes.includes(ADMIN_SCOPE) && user.is_admin !== 1) {
      throw new AppError('FORBIDDEN', 'Only administrators can have the scope admin.');
    }
    const unique = [...new Set(scopes)];
    return this.#db.transaction().execute((tx) => this.#insertPair(tx, user.id, unique, randomUUID()));
  }

  /** The next pair for a refresh token. If the token was already used, its whole family ends. */
  async refresh(refreshToken: string): Promise<TokenPair> {
    const found = await findRefreshToken(this.#db, hashSecret(refreshToken), this.#now());
    const family = found?.family;
    if (!found || !family) throw invalidRefreshToken();
    const pair = await this.#db.transaction().execute(async (tx) => {
      if (!(await spendRefreshToken(tx, found.id, this.#now()))) return undefined;
      await extendPersonalTokens(tx, family, this.#now() + REFRESH_SECONDS * 1000);
      return this.#insertPair(tx, found.user_id, found.scopes.split(' '), family);
    });
    if (pair) return pair;
    // Two parties have this token, and one of them stole it: everything made with it ends.
    await this.#db.transaction().execute((tx) => deleteFamily(tx, family));
    throw invalidRefreshToken();
  }

  /** A token for a program. It has only scopes of its creator, and ends with the login of its creator. */
  async makePersonal(
    actor: Actor,
    wanted: { name: string; scopes: string[]; expiresAt?: number | undefined },
  ): Promise<PersonalToken> {
    const missing = wanted.scopes.filter((scope) => !actor.scopes.includes(scope));
    if (missing.length > 0) {
      throw new AppError(
        'INSUFFICIENT_SCOPE',
        `Your token lacks ${missing.join(', ')}, so it cannot grant it.`,
      );
    }
    const createdAt = this.#now();
    if (wanted.expiresAt !== undefined && wanted.expiresAt <= createdAt) {
      throw new AppError('BAD_REQUEST', 'expiresAt: must be in the future.');
    }
    const token = makeToken(PREFIX.personal);
    const { userId, family = '' } = actor;
    return this.#db.transaction().execute(async (tx) => {
      const loginEnd = await lockLogin(tx, family, createdAt);
      if (loginEnd === undefined) throw loginOver();
      if ((await countPersonalTokens(tx, userId)) >= MAX_PERSONAL_TOKENS) throw tooManyTokens();
      const expiresAt = Math.min(loginEnd, wanted.expiresAt ?? loginEnd);
      const id = await insertToken(tx, {
        userId,
        kind: 'personal',
        secretHash: hashSecret(token),
        name: wanted.name,
        scopes: [...new Set(wanted.scopes)],
        family,
        now: createdAt,
        expiresAt,
        askedExpiresAt: wanted.expiresAt,
      });
      return { id, token, createdAt, expiresAt };
    });
  }

  /** A short-lived token for the dashboard of a logged-in user. */
  async forDashboard({ userId, isAdmin, sessionId }: Actor) {
    const accessToken = makeToken(PREFIX.dashboard);
    const scopes: readonly string[] = isAdmin ? [...PASSWORD_SCOPES, ADMIN_SCOPE] : PASSWORD_SCOPES;
    const now = this.#now();
    await this.#db.transaction().execute(async (tx) => {
      await insertToken(tx, {
        userId,
        kind: 'dashboard',
        secretHash: hashSecret(accessToken),
        scopes,
        ...(sessionId !== undefined && { family: sessionFamily(sessionId) }),
        now,
        expiresAt: now + DASHBOARD_SECONDS * 1000,
      });
      await trimTokens(tx, userId, 'dashboard', MAX_DASHBOARD_TOKENS);
    });
    return { accessToken, expiresIn: DASHBOARD_SECONDS, scopes, tokenType: 'Bearer' as const };
  }

  async #insertPair(tx: Tx, userId: number, scopes: readonly string[], family: string): Promise<TokenPair> {
    const accessToken = makeToken(PREFIX.access);
    const refreshToken = makeToken(PREFIX.refresh);
    const common = { userId, scopes, family, now: this.#now() };
    await insertToken(tx, {
      ...common,
      kind: 'access',
      secretHash: hashSecret(accessToken),
      expiresAt: common.now + ACCESS_SECONDS * 1000,
    });
    await insertToken(tx, {
      ...common,
      kind: 'refresh',
      secretHash: hashSecret(refreshToken),
      expiresAt: common.now + REFRESH_SECONDS * 1000,
    });
    await trimTokens(tx, userId, 'access', MAX_LOGIN_TOKENS);
    await trimTokens(tx, userId, 'refresh', MAX_LOGIN_TOKENS);
    return { accessToken, refreshToken, expiresIn: ACCESS_SECONDS, scopes, tokenType: 'Bearer' };
  }
}

function tooManyTokens(): AppError {
  return new AppError(
    'QUOTA_EXCEEDED',
    `You have ${MAX_PERSONAL_TOKENS} personal tokens, which is the limit. Revoke one first.`,
  );
}

function loginOver(): AppError {
  return new AppError(
    'INVALID_TOKEN',
    'The login behind this token has ended. Log in again, then make the token.',
  );
}

function invalidRefreshToken(): AppError {
  return new AppError(
    'INVALID_TOKEN',
    'This refresh token is unknown, expired or was used before. Get a new pair from POST /api/auth/token.',
  );
}
