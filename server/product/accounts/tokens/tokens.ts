import type { PersonalTokenRequest } from '../../../../contract/accounts/accounts.ts';
import { toTokens } from '../../../../contract/rules/credit-amounts.ts';
import { ADMIN_SCOPE, FEATURES_SCOPE, PASSWORD_SCOPES } from '../../../../contract/scopes.ts';
import { AppError } from '../../../lib/errors.ts';
import { hashSecret, makeToken } from '../../../lib/secrets.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { SecurityNotices } from '../logins/notices.ts';
import type { KnownUser } from '../logins/password-check.ts';
import { assertCanLogIn } from '../logins/sign-in.ts';
import { assertPasswordStands } from '../model/store.ts';
import {
  countPersonalTokens,
  deleteFamily,
  extendPersonalTokens,
  findRefreshToken,
  insertToken,
  lockLogin,
  parseClientFamily,
  passwordFamily,
  sessionFamily,
  spendRefreshToken,
  trimTokens,
} from '../model/token-store.ts';

const ACCESS_SECONDS = 3600;
const REFRESH_SECONDS = 7 * 24 * 3600;
const DASHBOARD_SECONDS = 600;

const MAX_PERSONAL_TOKENS = 100;
/** The most login tokens per user and kind. The oldest end. */
const MAX_LOGIN_TOKENS = 1_000;
const MAX_DASHBOARD_TOKENS = 200;

/** Prefixes that let people and scanners distinguish tokens. */
const PREFIX = { access: 'qra_', refresh: 'qrr_', personal: 'qr_', dashboard: 'qrd_' } as const;

export interface TokenPair {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
  scopes: string[];
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

  readonly #notices: SecurityNotices;
  readonly #loginsEnded: (userId: number) => void;

  constructor(options: {
    db: Db;
    now: () => number;
    notices: SecurityNotices;
    loginsEnded(userId: number): void;
  }) {
    this.#db = options.db;
    this.#now = options.now;
    this.#notices = options.notices;
    this.#loginsEnded = options.loginsEnded;
  }

  /** Creates a pair for a user who gave a password. */
  async issue(
    user: KnownUser,
    from: { address: string; userAgent: string },
    scopes: readonly string[] = PASSWORD_SCOPES,
  ): Promise<TokenPair> {
    if (scopes.includes(ADMIN_SCOPE) && user.is_admin !== 1) {
      throw new AppError('FORBIDDEN', 'Only administrators can have the scope admin. Leave it out.');
    }
    const unique = [...new Set(scopes)];
    const login = { userId: user.id, scopes: unique, family: passwordFamily(this.#now()) };
    return this.#db.transaction().execute(async (tx) => {
      assertCanLogIn({ user: await assertPasswordStands(tx, user), method: 'password' });
      await this.#notices.noteLogin(tx, user, { ...from, method: 'password' });
      return insertPair(tx, login, this.#now());
    });
  }

  /** Exchanges a refresh token for the next pair. If the token was already used, its whole family ends. */
  async refresh(refreshToken: string): Promise<TokenPair> {
    const found = await findRefreshToken(this.#db, hashSecret(refreshToken), this.#now());
    const family = found?.family;
    // Connected apps refresh their tokens at /oauth/token, where they have to identify themselves.
    if (!found || !family || parseClientFamily(family) !== undefined) throw invalidRefreshToken();
    const pair = await this.#db.transaction().execute(async (tx) => {
      if (!(await spendRefreshToken(tx, found.id, this.#now()))) return undefined;
      await extendPersonalTokens(tx, family, this.#now() + REFRESH_SECONDS * 1000);
      const login = { userId: found.user_id, scopes: found.scopes.split(' '), family };
      return insertPair(tx, login, this.#now());
    });
    if (pair) return pair;
    // Two parties have this token, and one of them stole it: everything made with it ends.
    await this.#db.transaction().execute((tx) => deleteFamily(tx, family));
    this.#loginsEnded(found.user_id);
    throw invalidRefreshToken();
  }

  /**
   * Makes a token for a program. It has only scopes of its creator, and ends with the login of its creator. The scope
   * `features` is the exception: only a person can grant it, here, with a limit.
   */
  async makePersonal(
    actor: Actor,
    wanted: Pick<PersonalTokenRequest, 'name' | 'scopes' | 'expiresAt' | 'creditLimit' | 'branches_only'>,
    address: string,
  ): Promise<PersonalToken> {
    const missing = wanted.scopes.filter(
      (scope) => scope !== FEATURES_SCOPE && !actor.scopes.includes(scope),
    );
    if (missing.length > 0) {
      throw new AppError(
        'INSUFFICIENT_SCOPE',
        'Your token lacks {scopes}, so it cannot grant it. Leave it out, or use a token that has it.',
        { scopes: missing.join(', ') },
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
        isForBranches: wanted.branches_only,
        ...(wanted.creditLimit !== undefined && { creditLimitTokens: toTokens(wanted.creditLimit) }),
      });
      const notice = { kind: 'new token', tokenName: wanted.name, scopes: wanted.scopes } as const;
      await this.#notices.sendTo(tx, userId, notice, address);
      return { id, token, createdAt, expiresAt };
    });
  }

  /** A short-lived token for the dashboard of a logged-in user. */
  async forDashboard({ userId, isAdmin, sessionId }: Pick<Actor, 'userId' | 'isAdmin' | 'sessionId'>) {
    const accessToken = makeToken(PREFIX.dashboard);
    const scopes: string[] = isAdmin ? [...PASSWORD_SCOPES, ADMIN_SCOPE] : [...PASSWORD_SCOPES];
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
      await trimTokens(tx, { userId }, 'dashboard', MAX_DASHBOARD_TOKENS);
    });
    return { accessToken, expiresIn: DASHBOARD_SECONDS, scopes, tokenType: 'Bearer' as const };
  }
}

/** The login that a pair of tokens is for. */
interface PairLogin {
  userId: number;
  family: string;
  scopes: readonly string[];
  /** The scopes of the access token, if it is to have fewer than the login. */
  accessScopes?: readonly string[] | undefined;
  pageId?: number | undefined;
  isForBranches?: boolean | undefined;
  refreshSeconds?: number;
  /** How many tokens of each kind are kept. */
  keep?: number;
}

/** Creates an access token and the refresh token that replaces it later. */
export async function insertPair(tx: Tx, login: PairLogin, now: number): Promise<TokenPair> {
  const { scopes, accessScopes = scopes, refreshSeconds = REFRESH_SECONDS, keep = MAX_LOGIN_TOKENS } = login;
  const accessToken = makeToken(PREFIX.access);
  const refreshToken = makeToken(PREFIX.refresh);
  const { userId, family, pageId, isForBranches } = login;
  const common = { userId, family, pageId, isForBranches, now };
  await insertToken(tx, {
    ...common,
    kind: 'access',
    scopes: accessScopes,
    secretHash: hashSecret(accessToken),
    expiresAt: now + ACCESS_SECONDS * 1000,
  });
  await insertToken(tx, {
    ...common,
    kind: 'refresh',
    scopes,
    secretHash: hashSecret(refreshToken),
    expiresAt: now + refreshSeconds * 1000,
  });
  await trimTokens(tx, login, 'access', keep);
  await trimTokens(tx, login, 'refresh', keep);
  return {
    accessToken,
    refreshToken,
    expiresIn: ACCESS_SECONDS,
    scopes: [...accessScopes],
    tokenType: 'Bearer',
  };
}

function tooManyTokens(): AppError {
  return new AppError(
    'QUOTA_EXCEEDED',
    'You have {count} personal tokens, which is the limit. Revoke one first.',
    { count: MAX_PERSONAL_TOKENS },
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
