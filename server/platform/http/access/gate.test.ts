import { describe, expect, test } from 'bun:test';
import { type AccessKind, GATE } from '../../../../contract/access-kinds.ts';
import { type Actor, admit, type Credentials, type Identities } from './gate.ts';

const BASE = 'https://quire.example';
const PAGE = 7;

const actor = (via: Actor['via'], scopes: string[] = []): Actor => ({
  userId: 1,
  username: 'ada',
  isAdmin: false,
  via,
  scopes,
});

const identities: Identities = {
  byBearer: async (token) => {
    if (token === 'for page 7') return { ...actor('bearer', ['solo-data:read']), onlyPage: PAGE };
    return token === 'good' ? actor('bearer', ['pages:read']) : undefined;
  },
  byLogin: async (cookie) => (cookie === 'good' ? actor('login') : undefined),
  byPageSession: async (token, pageId) =>
    token === 'good' && pageId === PAGE ? actor('page session') : undefined,
};

const NOTHING: Credentials = { origin: null, secFetchSite: null, isNavigation: false };
const CASES: Record<string, Credentials> = {
  nothing: NOTHING,
  'a token': { ...NOTHING, bearer: 'good' },
  'a bad token': { ...NOTHING, bearer: 'bad' },
  'a login, no browser': { ...NOTHING, loginCookie: 'good' },
  'a login, Node’s fetch': { ...NOTHING, loginCookie: 'good' },
  'a login, base origin': {
    ...NOTHING,
    loginCookie: 'good',
    origin: BASE,
    secFetchSite: 'same-origin',
  },
  'a login, typed address': {
    ...NOTHING,
    loginCookie: 'good',
    secFetchSite: 'none',
    isNavigation: true,
  },
  'a login, link elsewhere': {
    ...NOTHING,
    loginCookie: 'good',
    secFetchSite: 'cross-site',
    isNavigation: true,
  },
  'a login, other origin': { ...NOTHING, loginCookie: 'good', origin: 'https://p1.pages.example' },
  'a login, null origin': { ...NOTHING, loginCookie: 'good', origin: 'null' },
  'a login, same site': {
    ...NOTHING,
    loginCookie: 'good',
    secFetchSite: 'same-site',
  },
  'a dead login': { ...NOTHING, loginCookie: 'bad' },
  'a page session': { ...NOTHING, pageSession: 'good' },
  'a page session from a sandbox': {
    ...NOTHING,
    pageSession: 'good',
    origin: 'null',
    secFetchSite: 'cross-site',
  },
  'a bad page session': { ...NOTHING, pageSession: 'bad' },
};

type Row = [
  who: keyof typeof CASES,
  outcome: 'bearer' | 'login' | 'page session' | 'anonymous' | 'UNAUTHORIZED' | 'INVALID_TOKEN' | 'FORBIDDEN',
];

/** Every kind of access with every kind of credential. */
const TABLE: Record<AccessKind, Row[]> = {
  public: rows({
    token: 'bearer',
    badToken: 'anonymous',
    login: 'anonymous',
    otherLogin: 'anonymous',
    link: 'anonymous',
    page: 'anonymous',
    none: 'anonymous',
  }),
  'public to pages': rows({
    token: 'bearer',
    badToken: 'anonymous',
    login: 'anonymous',
    otherLogin: 'anonymous',
    link: 'anonymous',
    page: 'anonymous',
    none: 'anonymous',
  }),
  management: rows({
    token: 'bearer',
    badToken: 'INVALID_TOKEN',
    login: 'UNAUTHORIZED',
    otherLogin: 'UNAUTHORIZED',
    link: 'UNAUTHORIZED',
    page: 'UNAUTHORIZED',
    none: 'UNAUTHORIZED',
  }),
  owner: rows({
    token: 'bearer',
    badToken: 'INVALID_TOKEN',
    login: 'login',
    otherLogin: 'UNAUTHORIZED',
    link: 'UNAUTHORIZED',
    page: 'UNAUTHORIZED',
    none: 'UNAUTHORIZED',
  }),
  'owner or guest': rows({
    token: 'bearer',
    badToken: 'anonymous',
    login: 'login',
    otherLogin: 'anonymous',
    link: 'anonymous',
    page: 'anonymous',
    none: 'anonymous',
  }),
  visitor: rows({
    token: 'bearer',
    badToken: 'INVALID_TOKEN',
    login: 'login',
    otherLogin: 'UNAUTHORIZED',
    link: 'UNAUTHORIZED',
    page: 'page session',
    none: 'UNAUTHORIZED',
  }),
  'page agent': rows({
    token: 'bearer',
    badToken: 'INVALID_TOKEN',
    login: 'login',
    otherLogin: 'anonymous',
    link: 'anonymous',
    page: 'page session',
    none: 'anonymous',
  }),
  'visitor or reader': rows({
    token: 'bearer',
    badToken: 'INVALID_TOKEN',
    login: 'login',
    otherLogin: 'anonymous',
    link: 'anonymous',
    page: 'page session',
    none: 'anonymous',
  }),
  'visitor or guest': rows({
    token: 'bearer',
    badToken: 'anonymous',
    login: 'login',
    otherLogin: 'anonymous',
    link: 'anonymous',
    page: 'page session',
    none: 'anonymous',
  }),
  'open read': rows({
    token: 'bearer',
    badToken: 'anonymous',
    login: 'login',
    otherLogin: 'anonymous',
    link: 'anonymous',
    page: 'page session',
    none: 'anonymous',
  }),
  account: rows({
    token: 'UNAUTHORIZED',
    badToken: 'UNAUTHORIZED',
    login: 'login',
    otherLogin: 'FORBIDDEN',
    link: 'FORBIDDEN',
    page: 'UNAUTHORIZED',
    sandboxed: 'FORBIDDEN',
    none: 'UNAUTHORIZED',
  }),
  'account door': rows({
    token: 'anonymous',
    badToken: 'anonymous',
    login: 'login',
    otherLogin: 'FORBIDDEN',
    link: 'FORBIDDEN',
    page: 'anonymous',
    sandboxed: 'FORBIDDEN',
    none: 'anonymous',
  }),
  client: rows({
    token: 'anonymous',
    badToken: 'anonymous',
    login: 'anonymous',
    otherLogin: 'anonymous',
    link: 'anonymous',
    page: 'anonymous',
    none: 'anonymous',
  }),
  operator: rows({
    token: 'bearer',
    badToken: 'anonymous',
    login: 'anonymous',
    otherLogin: 'anonymous',
    link: 'anonymous',
    page: 'anonymous',
    none: 'anonymous',
  }),
  'served page': rows({
    token: 'bearer',
    badToken: 'anonymous',
    login: 'login',
    otherLogin: 'anonymous',
    link: 'login',
    page: 'anonymous',
    none: 'anonymous',
  }),
  screen: rows({
    token: 'anonymous',
    badToken: 'anonymous',
    login: 'login',
    otherLogin: 'anonymous',
    link: 'login',
    page: 'anonymous',
    none: 'anonymous',
  }),
};

type Outcome = Row[1];
function rows(o: {
  token: Outcome;
  badToken: Outcome;
  login: Outcome;
  otherLogin: Outcome;
  link: Outcome;
  page: Outcome;
  sandboxed?: Outcome;
  none: Outcome;
}): Row[] {
  return [
    ['nothing', o.none],
    ['a token', o.token],
    ['a bad token', o.badToken],
    ['a login, no browser', o.login],
    ['a login, Node’s fetch', o.login],
    ['a login, base origin', o.login],
    ['a login, typed address', o.login],
    ['a login, link elsewhere', o.link],
    ['a login, other origin', o.otherLogin],
    ['a login, null origin', o.otherLogin],
    ['a login, same site', o.otherLogin],
    ['a dead login', o.none],
    ['a page session', o.page],
    ['a page session from a sandbox', o.sandboxed ?? o.page],
    ['a bad page session', o.none],
  ];
}

const ask = (kind: AccessKind, credentials: Credentials, scope?: string, pageId = PAGE) =>
  admit({ kind, ...(scope && { scope }) }, credentials, {
    identities,
    ownOrigin: BASE,
    pageId: async () => pageId,
  }).then(
    (found) => found?.via ?? 'anonymous',
    (error: { code: string }) => error.code,
  );

for (const [kind, expected] of Object.entries(TABLE) as Array<[AccessKind, Row[]]>) {
  describe(`a route for ${kind}`, () => {
    test.each(expected)('handles %s: %s', async (who, outcome) => {
      expect(await ask(kind, CASES[who] as Credentials)).toBe(outcome);
    });
  });
}

test('the table above has every kind of access and every credential', () => {
  expect(Object.keys(TABLE).sort()).toEqual(Object.keys(GATE).sort());
  for (const expected of Object.values(TABLE))
    expect(expected.map(([who]) => who)).toEqual(Object.keys(CASES));
});

test('a token needs the scope of the route; without it, a public route treats it as anonymous', async () => {
  expect(await ask('management', CASES['a token'] as Credentials, 'pages:read')).toBe('bearer');
  expect(await ask('management', CASES['a token'] as Credentials, 'pages:write')).toBe('INSUFFICIENT_SCOPE');
  expect(await ask('visitor', CASES['a token'] as Credentials, 'solo-data:read')).toBe('INSUFFICIENT_SCOPE');
  expect(await ask('visitor or guest', CASES['a token'] as Credentials, 'social-data:read')).toBe(
    'anonymous',
  );
  const read = ask('visitor or reader', CASES['a token'] as Credentials, 'team-data:read');
  expect(await read).toBe('INSUFFICIENT_SCOPE');
});

test('a page session is valid for its own page only', async () => {
  expect(await ask('visitor', CASES['a page session'] as Credentials, undefined, 8)).toBe('UNAUTHORIZED');
});

describe('a token for one page', () => {
  const token: Credentials = { ...NOTHING, bearer: 'for page 7' };

  test('is valid for visitors of that page, with its scopes', async () => {
    for (const kind of ['visitor', 'visitor or guest', 'open read'] as const)
      expect(await ask(kind, token, 'solo-data:read')).toBe('bearer');
    expect(await ask('visitor', token, 'solo-data:write')).toBe('INSUFFICIENT_SCOPE');
  });

  test('is not valid for another page', async () => {
    expect(await ask('visitor', token, 'solo-data:read', 8)).toBe('INVALID_TOKEN');
    expect(await ask('visitor or guest', token, undefined, 8)).toBe('anonymous');
  });

  test('is not valid for anything else, even if its path has the same number', async () => {
    for (const kind of Object.keys(GATE) as AccessKind[]) {
      if (GATE[kind].pageSession || !GATE[kind].bearer) continue;
      expect([kind, await ask(kind, token)]).toEqual([
        kind,
        GATE[kind].anonymous ? 'anonymous' : 'INVALID_TOKEN',
      ]);
    }
  });
});
