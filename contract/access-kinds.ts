/** The credentials and callers that a kind of access accepts. */
export interface Rule {
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
 * the kinds, and only `admit` (gate.ts) decides. What the caller may then do with a page or function is up to the
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
  /** Anyone, for resources that pages use from any host: functions, agent specs, pictures. */
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
  /** People with an account, by token or logged in to the service itself, and people who are not logged in yet. */
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
  /** Resources that a page shows to everyone, including other sites. */
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
  /** Logging in and out: callers as for `account`, but not logged in yet. */
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
