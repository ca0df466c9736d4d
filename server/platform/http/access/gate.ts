import { type Access, type AccessKind, GATE, type Rule } from '../../../../contract/access-kinds.ts';
import type { PreviewedAs } from '../../../../contract/pages/previews.ts';
import { AppError } from '../../../lib/errors.ts';

/** An authenticated caller. */
export interface Actor {
  userId: number;
  username: string;
  isAdmin: boolean;
  via: 'bearer' | 'page session' | 'login';
  /** The scopes of a bearer token; empty for other credentials. */
  scopes: readonly string[];
  /** The id of a bearer token. What it spends counts towards its limit. */
  tokenId?: number;
  /** The login that a bearer token came from. What the token creates ends with that login. */
  family?: string;
  /** True for the token of a connected app, which can ask the person for more scopes. */
  isApp?: boolean;
  /** True for a personal token or a connected app: not a person in the dashboard, or after giving the password. */
  isProgram?: boolean;
  /** True for a program that can only change branches. */
  isForBranches?: boolean;
  /** The only page that a bearer token can be used for, as a visitor of that page. */
  onlyPage?: number;
  /** The login session behind a cookie or a page session. */
  sessionId?: number;
  /** True in a browser that checks a page. It must not spend credits or publish anything. */
  isCheck?: boolean;
  /** True for somebody who tries a page that is removed in two minutes. `isCheck` is true for them too. */
  isTrial?: boolean;
  /** In a preview: the highest role that the person has on the page. */
  maxRole?: PreviewedAs;
  /** In a preview or a trial: when it ends, even if the login goes on. */
  endsAt?: number;
  /** A cookie to send back, which extends a login that is in use. */
  setCookie?: string;
}

/** The parts of a request that the gate looks at. */
export interface Credentials {
  bearer?: string | undefined;
  loginCookie?: string | undefined;
  pageSession?: string | undefined;
  origin: string | null;
  secFetchSite: string | null;
  isNavigation: boolean;
}

/** Looks up the caller for a credential. The accounts slice implements it. */
export interface Identities {
  byBearer(token: string): Promise<Actor | undefined>;
  byLogin(cookie: string): Promise<Actor | undefined>;
  byPageSession(token: string, pageId: number): Promise<Actor | undefined>;
}

interface GateContext {
  identities: Identities;
  ownOrigin: string;
  /** The page that the request is about, for kinds of access that accept page sessions. */
  pageId: () => Promise<number | undefined>;
}

/** Finds out who calls, or refuses. */
export async function admit(
  access: Access,
  credentials: Credentials,
  context: GateContext,
): Promise<Actor | undefined> {
  const accepts: Rule = GATE[access.kind];
  const { identities, ownOrigin } = context;

  if (accepts.bearer && credentials.bearer !== undefined) {
    const actor = await identities.byBearer(credentials.bearer);
    const isElsewhere =
      actor?.onlyPage !== undefined && !(await isAboutPage(accepts, context, actor.onlyPage));
    const isIgnored = accepts.anonymous && !accepts.refusesInvalidToken;
    if (actor && !isElsewhere) return withScope(actor, access.scope, isIgnored);
    if (!accepts.anonymous || accepts.refusesInvalidToken) throw invalidToken(isElsewhere);
  }
  if (accepts.pageSession && credentials.pageSession !== undefined) {
    const pageId = await context.pageId();
    const actor = pageId && (await identities.byPageSession(credentials.pageSession, pageId));
    if (actor) return actor;
  }
  if (accepts.login !== 'never') {
    const believed =
      isFromBaseOrigin(credentials, ownOrigin) ||
      (accepts.login === 'on navigation' && credentials.isNavigation);
    if (!believed && accepts.login === 'from base origin only') {
      throw new AppError('FORBIDDEN', 'This request is only accepted from {ownOrigin} itself.', {
        ownOrigin,
      });
    }
    const actor = believed && credentials.loginCookie && (await identities.byLogin(credentials.loginCookie));
    if (actor) return actor;
  }
  if (accepts.anonymous) return undefined;
  throw unauthorized(access.kind);
}

/** Somebody whom the server has identified itself, or nobody where that is allowed. */
export function admitKnown({ kind }: Access, actor: Actor | undefined): Actor | undefined {
  if (!actor && !GATE[kind].anonymous) throw unauthorized(kind);
  return actor;
}

/**
 * A login cookie is trusted only if the request comes from our own pages or not from a browser. Browsers always send
 * `Origin` or `Sec-Fetch-Site` if a page's script is involved, and scripts cannot change either.
 */
export function isFromBaseOrigin(
  seen: Pick<Credentials, 'origin' | 'secFetchSite'>,
  ownOrigin: string,
): boolean {
  if (seen.origin !== null && seen.origin !== ownOrigin) return false;
  return seen.secFetchSite === null || seen.secFetchSite === 'same-origin' || seen.secFetchSite === 'none';
}

async function isAboutPage({ pageSession }: Rule, context: GateContext, pageId: number): Promise<boolean> {
  return pageSession && (await context.pageId()) === pageId;
}

function invalidToken(isElsewhere: boolean): AppError {
  return new AppError(
    'INVALID_TOKEN',
    isElsewhere
      ? 'This token is only for one page, and only for what its visitors can do there. Get another from POST /api/auth/token.'
      : 'This token is unknown, expired or revoked. Get a new one from POST /api/auth/token.',
  );
}

function withScope(actor: Actor, scope: string | undefined, anonymousAllowed: boolean): Actor | undefined {
  if (scope === undefined || actor.scopes.includes(scope)) return actor;
  if (anonymousAllowed) return undefined;
  throw new AppError(
    'INSUFFICIENT_SCOPE',
    'This token lacks the scope {scope}. Ask for it when you get the token.',
    { scope },
    {
      body: { scope },
    },
  );
}

function unauthorized(kind: AccessKind): AppError {
  const { bearer, pageSession } = GATE[kind];
  return new AppError(
    'UNAUTHORIZED',
    pageSession
      ? 'Log in first. A program sends a token instead: Authorization: Bearer <token>.'
      : bearer
        ? 'Send a token: Authorization: Bearer <token>. POST /api/auth/token gives you one.'
        : 'Log in first: POST /api/auth/login, or the login page.',
  );
}
