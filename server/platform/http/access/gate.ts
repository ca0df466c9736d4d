import { AppError } from '../../../lib/errors.ts';

/** What a kind of access accepts, and who may ask. */
interface Rule {
  /** A bearer token counts. */
  bearer: boolean;
  /** A page session counts, for its own page. */
  pageSession: boolean;
  /** Where a login cookie counts; with `only`, a request from elsewhere is refused outright. */
  login: 'never' | 'from base origin' | 'from base origin only' | 'on navigation';
  /** Nobody in particular may come in too. */
  anonymous: boolean;
  /** What a published page's own host answers of it: nothing, what is about that page, or everything. */
  onPageHost: 'nothing' | 'own page' | 'everything';
  /** Which other origins may read the answer; `null` is that of pages in sandbox isolation. */
  readableBy: '*' | 'null' | 'nobody';
}

/**
 * The gate: who may come in by which credential. Every route states one kind of access; this table says what that
 * kind accepts, and `admit` is the only code that decides. What the person may then do with a particular page or
 * function is the slice's business.
 *
 * A page session is what a published page's script holds for its visitor, for that page alone. A login cookie
 * counts only where no published page could have caused the request: see `isFromBaseOrigin`.
 */
export const GATE = {
  /** Anyone. A good bearer token says who calls; a bad one is ignored. */
  public: {
    bearer: true,
    pageSession: false,
    login: 'never',
    anonymous: true,
    onPageHost: 'nothing',
    readableBy: 'nobody',
  },
  /** The same for what pages use, wherever they are: functions, agent specs, pictures. */
  'public to pages': {
    bearer: true,
    pageSession: false,
    login: 'never',
    anonymous: true,
    onPageHost: 'everything',
    readableBy: '*',
  },
  /** Owners and their agents. Never a cookie. */
  management: {
    bearer: true,
    pageSession: false,
    login: 'never',
    anonymous: false,
    onPageHost: 'nothing',
    readableBy: '*',
  },
  /** People with an account, by token or while logged in to the service itself. */
  owner: {
    bearer: true,
    pageSession: false,
    login: 'from base origin',
    anonymous: false,
    onPageHost: 'nothing',
    readableBy: '*',
  },
  /** The same people, and those who are not logged in yet. */
  'owner or guest': {
    bearer: true,
    pageSession: false,
    login: 'from base origin',
    anonymous: true,
    onPageHost: 'nothing',
    readableBy: 'nobody',
  },
  /** A page's visitors. */
  visitor: {
    bearer: true,
    pageSession: true,
    login: 'from base origin',
    anonymous: false,
    onPageHost: 'own page',
    readableBy: 'null',
  },
  /** A page's visitors, signed in or not. */
  'visitor or guest': {
    bearer: true,
    pageSession: true,
    login: 'from base origin',
    anonymous: true,
    onPageHost: 'own page',
    readableBy: 'null',
  },
  /** What a page shows to the whole world, other sites included. */
  'open read': {
    bearer: true,
    pageSession: true,
    login: 'from base origin',
    anonymous: true,
    onPageHost: 'everything',
    readableBy: '*',
  },
  /** The person's own account. Only the account pages, or a client that is no browser. */
  account: {
    bearer: false,
    pageSession: false,
    login: 'from base origin only',
    anonymous: false,
    onPageHost: 'nothing',
    readableBy: 'nobody',
  },
  /** The doors to an account: logging in and out. Same callers as `account`, but nobody is in yet. */
  'account door': {
    bearer: false,
    pageSession: false,
    login: 'from base origin only',
    anonymous: true,
    onPageHost: 'nothing',
    readableBy: 'nobody',
  },
  /** The operator's programs, by token; the route lets others in by what else it knows of them. No page reads along. */
  operator: {
    bearer: true,
    pageSession: false,
    login: 'never',
    anonymous: true,
    onPageHost: 'nothing',
    readableBy: 'nobody',
  },
  /** Looking at a published page, which decides little: whether a draft is shown, and whose page session is made. */
  'served page': {
    bearer: true,
    pageSession: false,
    login: 'on navigation',
    anonymous: true,
    onPageHost: 'nothing',
    readableBy: 'nobody',
  },
  /** Looking at a screen. It changes nothing and no script can read it, so a link from anywhere may lead to it. */
  screen: {
    bearer: false,
    pageSession: false,
    login: 'on navigation',
    anonymous: true,
    onPageHost: 'nothing',
    readableBy: 'nobody',
  },
} as const satisfies Record<string, Rule>;

export type AccessKind = keyof typeof GATE;

/** What a route demands: the kind of caller and, for bearer tokens, the scope. */
export interface Access {
  kind: AccessKind;
  scope?: string;
}

/** Somebody who has been let in. */
export interface Actor {
  userId: number;
  username: string;
  isAdmin: boolean;
  via: 'bearer' | 'page session' | 'login';
  /** What a bearer token may do; empty for the other two. */
  scopes: readonly string[];
  /** The login that a bearer token came of; what the token makes ends with it. */
  family?: string;
  /** The login session behind a cookie or a page session. */
  sessionId?: number;
  /** A cookie to send back, so that a login in use slides on. */
  setCookie?: string;
}

/** What the gate looks at in a request. */
export interface Credentials {
  bearer?: string | undefined;
  loginCookie?: string | undefined;
  pageSession?: string | undefined;
  origin: string | null;
  secFetchSite: string | null;
  isNavigation: boolean;
}

/** How credentials become people; the accounts slice implements it. */
export interface Identities {
  byBearer(token: string): Promise<Actor | undefined>;
  byLogin(cookie: string): Promise<Actor | undefined>;
  byPageSession(token: string, pageId: number): Promise<Actor | undefined>;
}

export async function admit(
  access: Access,
  credentials: Credentials,
  context: { identities: Identities; ownOrigin: string; pageId: () => Promise<number | undefined> },
): Promise<Actor | undefined> {
  const accepts = GATE[access.kind];
  const { identities, ownOrigin } = context;

  if (accepts.bearer && credentials.bearer !== undefined) {
    const actor = await identities.byBearer(credentials.bearer);
    if (actor) return withScope(actor, access.scope, accepts.anonymous);
    if (!accepts.anonymous) {
      throw new AppError(
        'INVALID_TOKEN',
        'This token is unknown, expired or revoked. Get a new one from POST /api/auth/token.',
        {
          headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
        },
      );
    }
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
      throw new AppError('FORBIDDEN', `This may only be asked for from ${ownOrigin} itself.`);
    }
    const actor = believed && credentials.loginCookie && (await identities.byLogin(credentials.loginCookie));
    if (actor) return actor;
  }
  if (accepts.anonymous) return undefined;
  throw unauthorized(access.kind);
}

/**
 * A login cookie is believed when the request comes from our own pages or from no browser at all. Browsers always
 * send `Origin` or `Sec-Fetch-Site` where a page's script is involved, and scripts cannot change either.
 */
export function isFromBaseOrigin(
  seen: Pick<Credentials, 'origin' | 'secFetchSite'>,
  ownOrigin: string,
): boolean {
  if (seen.origin !== null && seen.origin !== ownOrigin) return false;
  return seen.secFetchSite === null || seen.secFetchSite === 'same-origin' || seen.secFetchSite === 'none';
}

function withScope(actor: Actor, scope: string | undefined, anonymousAllowed: boolean): Actor | undefined {
  if (scope === undefined || actor.scopes.includes(scope)) return actor;
  if (anonymousAllowed) return undefined;
  throw new AppError(
    'INSUFFICIENT_SCOPE',
    `This token lacks the scope ${scope}. Ask for it when you get the token.`,
    {
      body: { scope },
    },
  );
}

function unauthorized(kind: AccessKind): AppError {
  const { bearer, pageSession } = GATE[kind];
  const message = pageSession
    ? 'Log in first. A program sends a token instead: Authorization: Bearer <token>.'
    : bearer
      ? 'Send a token: Authorization: Bearer <token>. POST /api/auth/token gives you one.'
      : 'Log in first: POST /api/auth/login, or the login page.';
  return new AppError('UNAUTHORIZED', message, { headers: { 'www-authenticate': 'Bearer' } });
}
