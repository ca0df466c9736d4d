import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SCOPES } from '../../../contract/scopes.ts';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { join } from '../../support/data/data.ts';
import { ECHO } from '../../support/functions/app.ts';
import { openSandboxed } from '../../support/pages/sessions.ts';

/**
 * Who is refused, route by route. The routes come from the OpenAPI document, so a new one is in here without being
 * added: as nobody, with a token that lacks its scope, and with a credential of another kind.
 */

interface Operation {
  id: string;
  method: string;
  path: string;
  /** The ways in, as the document names them. */
  ways: Array<Record<string, string[]>>;
}

let quire: TestApp;
let operations: Operation[];
let owner: TestUser;
let page: PublishedPage;
let draft: number;
let fingerprint: string;
let slug: string;
let query: number;
const people = {} as Record<'stranger' | 'admin' | 'member' | 'viewer', TestUser>;

beforeAll(async () => {
  quire = await testApp({ QUIRE_ISOLATION: 'sandbox' });
  owner = await quire.user('owner');
  page = await owner.publish({ name: 'Secret plans', storage_mode: 'team_app' });
  for (const name of ['stranger', 'admin', 'member', 'viewer'] as const) {
    people[name] = await quire.user(name);
    if (name !== 'stranger') await join(quire, owner, page, people[name], name);
  }
  const at = `/api/pages/${page.id}`;
  draft = (await owner.call('POST', `${at}/drafts`, { body: { html_content: '<p>Draft' } })).body.draft.id;
  const bytes = { authorization: `Bearer ${owner.token}` };
  await quire.request(`${at}/drafts/${draft}/files/a.txt`, { method: 'PUT', headers: bytes, body: 'a' });
  const reported = { message: 'plans is not defined' };
  await owner.call('POST', `${at}/errors`, { body: reported, headers: { 'user-agent': 'Mozilla/5.0' } });
  fingerprint = (await owner.call('GET', `${at}/errors`)).body.errors[0].fingerprint;
  slug = 'secret-function';
  const deployed = { slug, code: ECHO, enableDatabase: true };
  expect((await owner.call('POST', '/api/functions', { body: deployed })).status).toBe(201);
  const saved = { name: 'Margins', sql: 'SELECT 1' };
  query = (await owner.call('POST', `/api/functions/${slug}/database/queries`, { body: saved })).body.id;
  operations = await readOperations();
}, 60_000);
afterAll(() => quire.stop());

async function readOperations(): Promise<Operation[]> {
  const { body } = await quire.call('GET', '/api/openapi.json');
  return Object.entries(body.paths as Record<string, Record<string, Record<string, never>>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId: id, security: ways }]) =>
        id ? [{ id, method: method.toUpperCase(), path, ways: ways ?? [{}] }] : [],
      ),
  );
}

const UUID = '01890000-0000-7000-8000-000000000000';
/** Not this machine, which may read more. */
const PEER = '203.0.113.9';

/** What the parts of a path are, so that they lead to something of the owner. */
function toTarget({ path }: Pick<Operation, 'path'>): string {
  const isQuery = path.includes('/database/queries/');
  const values: Record<string, string | number> = {
    ...{
      id: isQuery ? query : page.id,
      slug,
      draft,
      fingerprint,
      version: 1,
      path: 'a.txt',
      key: 'a'.repeat(16),
    },
    ...{ userId: owner.id, type: 'team-data', collection: 'notes', name: 'contact', code: 'a'.repeat(16) },
    ...{
      at: '2026-01-01T00:00:00Z',
      inviteId: 'a'.repeat(16),
      fileId: UUID,
      messageId: UUID,
      recordId: UUID,
      repair: UUID,
      reportId: UUID,
    },
  };
  if (path.startsWith('/api/admin/reports')) values.id = UUID;
  if (path.startsWith('/api/admin/providers')) values.name = path.endsWith('/test') ? 'mail' : 'chat';
  if (path.startsWith('/api/admin/backups')) values.name = 'backup-2026-01-01T00-00-00Z-1.tar.gz';
  if (path.startsWith('/p/') || path.startsWith('/oauth')) values.slug = page.slug;
  return path.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? 1));
}

type Credentials = Parameters<TestApp['call']>[2];

/** The operations for which a caller gets something else than this. */
async function wrong(
  asked: Operation[],
  credentials: (operation: Operation) => Credentials,
  isRefused: (
    answer: { status: number; body: { code?: string; scope?: string } },
    operation: Operation,
  ) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  for (const operation of asked) {
    const sent = { peer: PEER, ...credentials(operation) };
    const answer = await quire.call(operation.method, toTarget(operation), sent);
    if (!isRefused(answer, operation))
      found.push(`${operation.id}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 100)}`);
  }
  return found;
}

const isOpen = ({ ways }: Operation) => ways.some((way) => Object.keys(way).length === 0);
const findScopes = ({ ways }: Operation) => ways.find((way) => way.bearer?.length)?.bearer ?? [];
const takes = (kind: string) => (operation: Operation) => operation.ways.some((way) => kind in way);

describe('every route that is not for everyone', () => {
  test('refuses nobody, and a token that does not exist', async () => {
    const closed = operations.filter((operation) => !isOpen(operation));
    expect(closed.length).toBeGreaterThan(150);
    const is401 = ({ status }: { status: number }) => status === 401;
    expect(await wrong(closed, () => ({}), is401)).toEqual([]);
    expect(await wrong(closed, () => ({ token: 'qrt_nobody' }), is401)).toEqual([]);
  });

  test('refuses a token without its scope, and names the scope', async () => {
    const tokens = new Map<string, string>();
    const scoped = operations.filter((operation) => !isOpen(operation) && findScopes(operation).length > 0);
    expect(scoped.length).toBeGreaterThan(120);
    for (const scope of new Set(scoped.flatMap(findScopes))) {
      const body = { name: `without ${scope}`, scopes: SCOPES.filter((each) => each !== scope) };
      const made = await owner.call('POST', '/api/auth/tokens', { body });
      expect([scope, made.status]).toEqual([scope, 201]);
      tokens.set(scope, made.body.token);
    }
    const found = await wrong(
      scoped,
      (operation) => ({ token: tokens.get(findScopes(operation)[0] ?? '') ?? '' }),
      ({ status, body }, operation) =>
        status === 403 &&
        body.code === 'INSUFFICIENT_SCOPE' &&
        findScopes(operation).includes(body.scope ?? ''),
    );
    expect(found).toEqual([]);
  });

  test('for administrators refuses everyone else, whatever they have', async () => {
    const forAdmins = operations.filter((operation) => findScopes(operation).includes('admin'));
    expect(forAdmins.length).toBeGreaterThan(30);
    const cookie = await owner.login();
    expect(
      await wrong(
        forAdmins,
        () => ({ token: owner.token }),
        ({ status }) => status === 403,
      ),
    ).toEqual([]);
    expect(
      await wrong(
        forAdmins,
        () => ({ cookie }),
        // Metrics are also for addresses that are allowed to read them, so their refusal is another one.
        ({ status }, { id }) => status === (id === 'getMetrics' ? 403 : 401),
      ),
    ).toEqual([]);
  });

  test('refuses a login cookie if it wants a token, a token if it wants a login, and pages both', async () => {
    const cookie = await owner.login();
    const isRefused = ({ status }: { status: number }) => status === 401 || status === 403;
    const closed = operations.filter((operation) => !isOpen(operation));
    const byToken = closed.filter((operation) => takes('bearer')(operation) && !takes('login')(operation));
    expect(await wrong(byToken, () => ({ cookie }), isRefused)).toEqual([]);
    const byLogin = closed.filter((operation) => takes('login')(operation) && !takes('bearer')(operation));
    expect(byLogin.length).toBeGreaterThan(20);
    expect(await wrong(byLogin, () => ({ token: owner.token }), isRefused)).toEqual([]);
    // What the script of a published page sends, on another host and in a sandbox.
    for (const headers of [
      { origin: 'null' },
      { origin: 'http://p1.pages.test', 'sec-fetch-site': 'same-site' },
    ])
      expect(await wrong(byLogin, () => ({ cookie, headers }), isRefused)).toEqual([]);
    const pageSession = await openSandboxed(quire, page, cookie);
    expect(pageSession).not.toBe('');
    const forOwners = closed.filter((operation) => !takes('pageSession')(operation));
    const headers = { 'x-page-session': pageSession, origin: 'null' };
    expect(await wrong(forOwners, () => ({ headers }), isRefused)).toEqual([]);
  });
});

describe('what belongs to somebody', () => {
  /** What was added with drafts, analytics, previews, the builder and saved queries; with bodies that are valid. */
  const BODIES: Record<string, unknown> = {
    ...{ listDrafts: null, getDraft: null, deleteDraft: null, readDraftFile: null, deleteDraftFile: null },
    createDraft: { html_content: '<p>Mine' },
    updateDraft: { html_content: '<p>Mine' },
    publishDraft: {},
    replaceDraftFiles: 'bytes',
    writeDraftFile: 'bytes',
    countOtherVisitors: null,
    ...{ getPageAnalytics: null, listPageErrors: null, resolvePageErrors: null, resolvePageError: null },
    createPreviewSession: { as: 'visitor' },
    setFormNotices: { formNotices: false },
    updatePageVersion: { note: 'Mine' },
    ...{ listPageVersions: null, getPageVersion: null, restorePageVersion: {} },
    stopBuilder: null,
    ...{ startRepair: {}, listRepairs: null, cancelRepair: null },
    ...{ listSavedQueries: null, deleteSavedQuery: null },
    createSavedQuery: { name: 'Mine', sql: 'SELECT 2' },
    updateSavedQuery: { name: 'Mine' },
    updateFunctionVersion: { note: 'Mine' },
    ...{ listFunctionVersions: null, getFunctionVersion: null, restoreFunctionVersion: {} },
  };
  /**
   * The builder is not installed here, and the events of its runs do not end: see the tests in `builder`. Anyone who sees a
   * page can report an error.
   */
  const ELSEWHERE = ['buildPage', 'watchBuilder', 'reportPageError'];
  const NEW =
    /^\/api\/(builder\/|pages\/\{id\}\/(drafts|analytics|errors|preview-session|versions)|functions\/\{slug\}\/(database\/queries|versions))/;

  const send = async (user: TestUser, operation: Operation) => {
    const body = BODIES[operation.id];
    const headers: Record<string, string> = { authorization: `Bearer ${user.token}` };
    if (body !== null) headers['content-type'] = body === 'bytes' ? 'application/zip' : 'application/json';
    const sent = body === 'bytes' ? 'PK' : JSON.stringify(body);
    const response = await quire.request(toTarget(operation), {
      method: operation.method,
      headers,
      ...(body !== null && { body: sent }),
    });
    return { status: response.status, text: await response.text() };
  };
  const asked = () => operations.filter(({ id }) => Object.hasOwn(BODIES, id));

  test('is all in this table', () => {
    const known = [...Object.keys(BODIES), ...ELSEWHERE];
    const missing = operations.filter(({ id, path }) => NEW.test(path) && !known.includes(id));
    expect(missing.map(({ id }) => id)).toEqual([]);
    expect(asked()).toHaveLength(Object.keys(BODIES).length);
  });

  test.each(['stranger', 'member', 'viewer'] as const)(
    'is refused to a %s, and stays as it is',
    async (name) => {
      const before = await owner.call('GET', `/api/pages/${page.id}`);
      for (const operation of asked()) {
        const { status, text } = await send(people[name], operation);
        // A private thing does not exist for others.
        const expected = operation.path.startsWith('/api/functions') ? [403, 404] : [403];
        expect([operation.id, expected.includes(status), status]).toEqual([operation.id, true, status]);
        for (const secret of ['Draft', 'plans is not', 'Margins', fingerprint])
          expect(text).not.toContain(secret);
      }
      const { body } = await owner.call('GET', `/api/pages/${page.id}/drafts/${draft}`);
      expect(body).toMatchObject({ html_content: '<p>Draft', revision: 2 });
      expect((await owner.call('GET', `/api/pages/${page.id}`)).body.page).toEqual(before.body.page);
      expect((await owner.call('GET', `/api/pages/${page.id}/errors`)).body.errors).toHaveLength(1);
      const { queries } = (await owner.call('GET', `/api/functions/${slug}/database/queries`)).body;
      expect(queries).toMatchObject([{ name: 'Margins' }]);
    },
  );

  test('is not there for a stranger while its page is not published', async () => {
    await owner.call('PATCH', `/api/pages/${page.id}`, { body: { is_published: false } });
    const ofPage = asked().filter(({ path }) => !path.startsWith('/api/functions'));
    for (const operation of ofPage)
      expect([operation.id, (await send(people.stranger, operation)).status]).toEqual([operation.id, 404]);
    await owner.call('PATCH', `/api/pages/${page.id}`, { body: { is_published: true } });
  });

  test('is open to an admin of the team as far as it is of the page, for what changes nothing', async () => {
    const reading = asked().filter(({ method }) => method === 'GET');
    for (const operation of reading) {
      const { status } = await send(people.admin, operation);
      // A repair shows the code of functions, which only the owner sees.
      const isOfPage = operation.path.startsWith('/api/pages') && operation.id !== 'listRepairs';
      expect([operation.id, status < 400]).toEqual([operation.id, isOfPage]);
    }
  });

  test('cannot be reached through another page or function of one’s own', async () => {
    const { stranger } = people;
    const own = await stranger.publish();
    const deployed = { slug: 'own-function', code: ECHO, enableDatabase: true };
    await stranger.call('POST', '/api/functions', { body: deployed });
    const at = `/api/pages/${own.id}`;
    const queries = '/api/functions/own-function/database/queries';
    for (const [method, path, body] of [
      ['GET', `${at}/drafts/${draft}`],
      ['PATCH', `${at}/drafts/${draft}`, { note: 'Mine' }],
      ['DELETE', `${at}/drafts/${draft}`],
      ['POST', `${at}/drafts/${draft}/publish`, {}],
      ['GET', `${at}/drafts/${draft}/files/a.txt`],
      ['DELETE', `${at}/drafts/${draft}/files/a.txt`],
      ['POST', `${at}/check`, { draft }],
      ['DELETE', `${at}/errors/${fingerprint}`],
      ['PATCH', `${queries}/${query}`, { name: 'Mine' }],
      ['DELETE', `${queries}/${query}`],
    ] as const) {
      const { status } = await stranger.call(method, path, body === undefined ? {} : { body });
      expect([method, path, status]).toEqual([method, path, 404]);
    }
  });

  test('of an account is only for its own person', async () => {
    const cookie = await people.stranger.login();
    const mine = (await quire.call('GET', '/api/auth/sessions', { cookie: await owner.login() })).body;
    const path = `/api/auth/sessions/${mine.sessions[0].id}`;
    expect((await quire.call('PATCH', path, { cookie, body: { name: 'Mine' } })).status).toBe(404);
    expect((await quire.call('DELETE', path, { cookie })).status).toBe(404);
  });
});
