import { timingSafeEqual } from 'node:crypto';
import type { IssuedTokens, TokenExchange } from '../../../contract/oauth/protocol.ts';
import { hashSecret } from '../../lib/secrets.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import { OAuthError } from './errors.ts';
import type { ClientLogins, OnConnected } from './ports.ts';
import {
  type AllowedRow,
  deleteGrant,
  findCode,
  findGrant,
  insertGrant,
  linkCode,
  listGrantsPast,
  spendCode,
  touchGrant,
} from './store.ts';

/** Grants per user. The least recently used apps are disconnected. */
const MAX_GRANTS = 100;

/** The grants of apps: made for a code, extended by refreshing, and ended by the person, the app or a theft. */
export class Grants {
  readonly #db: Db;
  readonly #now: () => number;
  readonly #logins: ClientLogins;

  readonly #onConnected: OnConnected;
  readonly #loginsEnded: (userId: number) => void;

  constructor(options: {
    db: Db;
    now: () => number;
    logins: ClientLogins;
    onConnected: OnConnected;
    loginsEnded(userId: number): void;
  }) {
    this.#onConnected = options.onConnected;
    this.#loginsEnded = options.loginsEnded;
    this.#db = options.db;
    this.#now = options.now;
    this.#logins = options.logins;
  }

  /** Connects an app, and returns its first tokens. Undefined if the account is suspended, or about to be deleted. */
  async open(
    tx: Tx,
    userId: number,
    allowed: AllowedRow,
  ): Promise<{ id: number; tokens: IssuedTokens } | undefined> {
    if (await this.#logins.isBlocked(tx, userId)) return undefined;
    const scopes = allowed.scopes.split(' ').filter(Boolean);
    const id = await insertGrant(tx, userId, allowed, this.#use());
    const pair = await this.#logins.open(tx, {
      ...{ id, userId, scopes },
      pageId: allowed.page_id ?? undefined,
      isForBranches: allowed.branches_only === 1,
    });
    for (const old of await listGrantsPast(tx, userId, MAX_GRANTS)) await this.#delete(tx, old);
    await this.#onConnected(tx, userId, { name: allowed.name, scopes });
    return { id, tokens: toTokens(pair) };
  }

  /**
   * Exchanges the code of a redirect. Any attempt uses the code up: a client that has it without the verifier did not
   * ask for it. If it was used before, what was given for it ends.
   */
  async redeem(clientId: string, given: TokenExchange): Promise<IssuedTokens> {
    const codeHash = hashSecret(given.code ?? '');
    // Anyone can send a code that does not exist, which must not wait for those who write.
    const known = await findCode(this.#db, codeHash);
    if (!known) throw unknownCode();
    const outcome = await this.#db.transaction().execute(async (tx) => {
      const isFirst = await spendCode(tx, codeHash, this.#now());
      const code = await findCode(tx, codeHash);
      if (!code) return undefined;
      // Streams of the person end only once, however often somebody sends the code again.
      if (!isFirst)
        return code.grant_id !== null && (await this.#delete(tx, code.grant_id)) ? 'ended' : undefined;
      const isValid =
        code.expires_at > this.#now() &&
        code.client_id === clientId &&
        (given.redirect_uri === undefined || given.redirect_uri === code.redirect_uri) &&
        isVerifier(given.code_verifier, code.challenge);
      if (!isValid) return undefined;
      if (!isSameResource(given.resource, code.resource)) return 'another resource';
      const opened = await this.open(tx, code.user_id, code);
      if (opened) await linkCode(tx, codeHash, opened.id);
      return opened?.tokens;
    });
    if (outcome === 'another resource') throw anotherResource();
    if (outcome === 'ended') this.#loginsEnded(known.user_id);
    if (typeof outcome !== 'object') throw unknownCode();
    return outcome;
  }

  async refresh(clientId: string, given: TokenExchange): Promise<IssuedTokens> {
    const refreshToken = given.refresh_token ?? '';
    const id = await this.#logins.find(refreshToken);
    const grant = id === undefined ? undefined : await findGrant(this.#db, id, this.#now());
    if (!grant || grant.client_id !== clientId) throw unknownRefreshToken();
    if (!isSameResource(given.resource, grant.resource)) throw anotherResource();
    const outcome = await this.#logins.refresh(refreshToken, {
      accessScopes: fewerScopes(given.scope, grant.scopes.split(' ')),
      keep: (tx) => touchGrant(tx, grant.id, this.#use()),
    });
    if (outcome === 'used before') {
      // Two parties have this token, and one of them stole it.
      await this.#db.transaction().execute((tx) => this.#delete(tx, grant.id));
      this.#loginsEnded(grant.user_id);
    }
    if (typeof outcome === 'string') throw unknownRefreshToken();
    return toTokens(outcome);
  }

  /** Ends the grant of any of its tokens. A token of another client is refused, an unknown one is ignored. */
  async revoke(clientId: string, token: string): Promise<void> {
    const id = await this.#logins.find(token);
    const grant = id === undefined ? undefined : await findGrant(this.#db, id, this.#now());
    if (!grant) return;
    if (grant.client_id !== clientId)
      throw new OAuthError('unauthorized_client', 'This token belongs to another client.');
    await this.#db.transaction().execute((tx) => this.#delete(tx, grant.id));
    this.#loginsEnded(grant.user_id);
  }

  /** Disconnects one of the apps of a user. False if there is no such app. */
  async end(userId: number, id: number): Promise<boolean> {
    const isEnded = await this.#db.transaction().execute(async (tx) => {
      if (!(await deleteGrant(tx, id, userId))) return false;
      await this.#logins.end(tx, id);
      return true;
    });
    if (isEnded) this.#loginsEnded(userId);
    return isEnded;
  }

  /**
   * Deletes the row first: a refresh in progress finds it gone, or ends before the tokens are deleted. False if it
   * was gone.
   */
  async #delete(tx: Tx, id: number): Promise<boolean> {
    const isDeleted = await deleteGrant(tx, id);
    await this.#logins.end(tx, id);
    return isDeleted;
  }

  #use() {
    const now = this.#now();
    return { now, expiresAt: now + this.#logins.seconds * 1000 };
  }
}

/** PKCE (RFC 7636): proof that the client that uses the code also asked for it. */
function isVerifier(verifier: string | undefined, challenge: string): boolean {
  if (verifier === undefined || !/^[\w.~-]{43,128}$/.test(verifier)) return false;
  const [given, expected] = [Buffer.from(hashSecret(verifier)), Buffer.from(challenge)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Whether the resource is the allowed one. A client may leave it out: it was named when the person was asked. */
function isSameResource(given: string | undefined, allowed: string): boolean {
  return given === undefined || given.replace(/\/$/, '') === allowed;
}

/** The scopes that a client asks for now; undefined for all that it has. */
function fewerScopes(asked: string | undefined, allowed: string[]): string[] | undefined {
  const wanted = asked?.split(' ').filter(Boolean) ?? [];
  if (wanted.length === 0) return undefined;
  const more = wanted.filter((scope) => !allowed.includes(scope));
  if (more.length === 0) return [...new Set(wanted)];
  throw new OAuthError(
    'invalid_scope',
    'A client cannot get more scopes than the person allowed. Ask them again.',
  );
}

function toTokens(pair: Awaited<ReturnType<ClientLogins['open']>>): IssuedTokens {
  return {
    access_token: pair.accessToken,
    token_type: 'Bearer',
    expires_in: pair.expiresIn,
    refresh_token: pair.refreshToken,
    scope: pair.scopes.join(' '),
  };
}

export function invalidGrant(message: string): OAuthError {
  return new OAuthError('invalid_grant', message);
}

function unknownCode(): OAuthError {
  return invalidGrant('This code is unknown, expired or was used before, or it is for another client.');
}

function unknownRefreshToken(): OAuthError {
  return invalidGrant(
    'This refresh token is unknown, expired, revoked or was used before. Ask the person again.',
  );
}

function anotherResource(): OAuthError {
  return new OAuthError('invalid_target', 'This access is for another resource.');
}
