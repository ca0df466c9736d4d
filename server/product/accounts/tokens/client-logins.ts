import { hashSecret, isTokenShaped } from '../../../lib/secrets.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import { isBlocked } from '../model/store.ts';
import {
  clientFamily,
  deleteFamily,
  findFamily,
  findRefreshToken,
  lockLogin,
  parseClientFamily,
  sessionFamily,
  spendRefreshToken,
} from '../model/token-store.ts';
import { insertPair, type TokenPair } from './tokens.ts';

/** How long a refresh token lasts: as long as a login session, so an app that is used once a month stays connected. */
const REFRESH_SECONDS = 30 * 24 * 3600;
/** Tokens of each kind per login. Older used refresh tokens are forgotten: their reuse does not end the login. */
const MAX_TOKENS = 50;

/** The login of a connected app, with what the app may do. Its id is the id of the login. */
interface ClientLogin {
  id: number;
  userId: number;
  scopes: readonly string[];
  pageId: number | undefined;
  isForBranches: boolean;
}

/** Logins of connected apps: the same tokens as those of a password login, and they end in the same way. */
export class ClientLogins {
  readonly #db: Db;
  readonly #now: () => number;

  constructor({ db, now }: { db: Db; now: () => number }) {
    this.#db = db;
    this.#now = now;
  }

  /** How many seconds a login lasts if it is not used. */
  readonly seconds = REFRESH_SECONDS;

  /** Whether the account is blocked. An app can ask for its tokens long after the person allowed it. */
  isBlocked(tx: Tx, userId: number): Promise<boolean> {
    return isBlocked(tx, userId);
  }

  /** Creates the first tokens of a login. */
  open(tx: Tx, login: ClientLogin): Promise<TokenPair> {
    return this.#insertPair(tx, login);
  }

  /** Finds the login of a token, also if the token was used. Undefined if it is not a token of an app. */
  async find(token: string): Promise<number | undefined> {
    return isTokenShaped(token)
      ? parseClientFamily(await findFamily(this.#db, hashSecret(token)))
      : undefined;
  }

  /**
   * Creates the next tokens. `accessScopes` are fewer scopes for the access token. `keep` records the
   * use of the login in the same transaction, and returns whether it still exists. On failure, returns the reason.
   */
  async refresh(
    refreshToken: string,
    options: { accessScopes?: readonly string[] | undefined; keep(tx: Tx): Promise<boolean> },
  ): Promise<TokenPair | 'unknown' | 'used before'> {
    const found = await findRefreshToken(this.#db, hashSecret(refreshToken), this.#now());
    const id = parseClientFamily(found?.family ?? null);
    if (!found || id === undefined) return 'unknown';
    return this.#db.transaction().execute(async (tx) => {
      // Call `keep` first, because everything that ends a login locks the same row first.
      if (!(await options.keep(tx))) return 'unknown';
      if (!(await spendRefreshToken(tx, found.id, this.#now()))) return 'used before';
      const login = {
        id,
        userId: found.user_id,
        scopes: found.scopes.split(' '),
        pageId: found.page_id ?? undefined,
        isForBranches: found.branches_only === 1,
      };
      return this.#insertPair(tx, login, options.accessScopes);
    });
  }

  /** Ends the tokens of a login. */
  end(tx: Tx, id: number): Promise<void> {
    return deleteFamily(tx, clientFamily(id));
  }

  /**
   * Whether a login session still exists. It cannot end before this transaction does, so whatever ends it also sees
   * what the transaction adds.
   */
  async lockSession(tx: Tx, sessionId: number): Promise<boolean> {
    return (await lockLogin(tx, sessionFamily(sessionId), this.#now())) !== undefined;
  }

  #insertPair(tx: Tx, login: ClientLogin, accessScopes?: readonly string[]): Promise<TokenPair> {
    const { id, userId, scopes, pageId, isForBranches } = login;
    const limits = { refreshSeconds: REFRESH_SECONDS, keep: MAX_TOKENS };
    return insertPair(
      tx,
      { userId, family: clientFamily(id), scopes, accessScopes, pageId, isForBranches, ...limits },
      this.#now(),
    );
  }
}
