import { AppError } from '../../../lib/errors.ts';

/** The credentials and callers that a kind of access accepts. */
interface Rule {
  /** Whether bearer tokens are accepted. */
  bearer: boolean;
  /** Whether page sessions are accepted, each for its own page. */
  pageSession: boolean;
  /**
   * Whether a token that is invalid or lacks the scope is an error although anonymous callers are accepted, so that a
   * client gets a new one.
   */
  refusesInvalidToken?: boolean;
  /** When a login cookie is accepted. With `only`, requests from other origins are rejected. */
  login: 'never' | 'from base origin' | 'from base origin only' | 'on navigation';
  /** Whether anonymous callers are accepted. */
  anonymous: boolean;
  /** What a published page's own host serves of it: nothing, requests about that page, or everything. */
  onPageHost: 'nothing' | 'own page' | 'everything';
  /** Which other origins may read the response; `null` is the origin of pages in sandbox isolation. */
  readableBy: '*' | 'null' | 'nobody';
}

/**
 * The gate: which credentials each kind of access accepts. Every route states one kind of access. This table defines
 * the kinds, and only `admit` decides. What the caller may then do with a particular page or function is up to the
 * slice.
 *
 * A published page's script uses a page session on behalf of its visitor, for that page only. A login cookie is
 * accepted only if no published page could have caused the request: see `isFromBaseOrigin`.
 */
export const GATE = {
  /** Anyone. A valid bearer token identifies the caller; an invalid one is ignored. */
  public: {
    bearer: true,
    pageSession: false,
    login: 'never',
    anonymous: true,
    onPageHost: 'nothing',
    readableBy: 'nobody',
  },
  /** The same for resources that pages use from any host: functions, agent specs, pictures. */
  'public to pages': {
    bearer: true,
    pageSession: false,
    login: 'never',
    anonymous: true,
    onPageHost: 'everything',
    readableBy: '*',
  },
  /** Owners and their agents, by token. Cookies are never accepted. */
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
  /** The same people, and people who are not logged in yet. */
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
  /** A page's visitors, and others if its owner lets everyone read. A token must be valid and have the scope. */
  'visitor or reader': {
    bearer: true,
    refusesInvalidToken: true,
    pageSession: true,
    login: 'from base origin',
    anonymous: true,
    onPageHost: 'own page',
    readableBy: 'null',
  },
  /** A page's visitors and their agents, by MCP. The endpoint checks the origin. */
  'page agent': {
    bearer: true,
    refusesInvalidToken: true,
    pageSession: true,
    login: 'from base origin',
    anonymous: true,
    onPageHost: 'own page',
    readableBy: '*',
  },
  /** What a page shows to everyone, including other sites. */
  'open read': {
    bearer: true,
    pageSession: true,
    login: 'from base origin',
    anonymous: true,
    onPageHost: 'everything',
    readableBy: '*',
  },
  /** The person's own account. Only for the account pages, or a client that is not a browser. */
  account: {
    bearer: false,
    pageSession: false,
    login: 'from base origin only',
    anonymous: false,
    onPageHost: 'nothing',
    readableBy: 'nobody',
  },
  /** Logging in and out. Same callers as `account`, but not logged in yet. */
  'account door': {
    bearer: false,
    pageSession: false,
    login: 'from base origin only',
    anonymous: true,
    onPageHost: 'nothing',
    readableBy: 'nobody',
  },
  /** Programs of other people that ask for access. They have no credentials yet, and may run in a browser. */
  client: {
    bearer: false,
    pageSession: false,
    login: 'never',
    anonymous: true,
    onPageHost: 'nothing',
    readableBy: '*',
  },
  /** The operator's programs, by token. The route may admit others by its own rules. Pages cannot read the response. */
  operator: {
    bearer: true,
    pageSession: false,
    login: 'never',
    anonymous: true,
    onPageHost: 'nothing',
    readableBy: 'nobody',
  },
  /** Viewing a published page. Decides only whether a draft is shown, and for whom a page session is created. */
  'served page': {
    bearer: true,
    pageSession: false,
    login: 'on navigation',
    anonymous: true,
    onPageHost: 'nothing',
    readableBy: 'nobody',
  },
  /** Viewing a screen. It changes nothing and no script can read it, so links from anywhere may lead to it. */
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

/** What a route requires: the kind of access and, for bearer tokens, the scope. */
export interface Access {
  kind: AccessKind;
  scope?: string;
}

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
  /** The only page that a bearer token can be used for, as a visitor of that page. */
  onlyPage?: number;
  /** The login session behind a cookie or a page session. */
  sessionId?: number;
  /** True in a browser that checks a page. It must not spend credits or publish anything. */
  isCheck?: boolean;
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
      throw new AppError('FORBIDDEN', `This request is only accepted from ${ownOrigin} itself.`);
    }
    const actor = believed && credentials.loginCookie && (await identities.byLogin(credentials.loginCookie));
    if (actor) return actor;
  }
  if (accepts.anonymous) return undefined;
  throw unauthorized(access.kind);
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
  return new AppError('UNAUTHORIZED', message);
}
