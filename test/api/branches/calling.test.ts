import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Branch } from '../../../contract/pages/branches/branches.ts';
import type { PublishedPage, TestUser } from '../../support/app.ts';
import { type BranchApp, branchApp, handler } from '../../support/branches/branches.ts';
import { join } from '../../support/data/data.ts';
import { enterPage, openSandboxed } from '../../support/pages/sessions.ts';

/** Who can call the functions of a branch. Their slugs can be guessed, so it is only who can see the branch. */

interface Stage {
  app: BranchApp;
  page: PublishedPage;
  branch: Branch;
  slug: string;
  member: TestUser;
  visitor: TestUser;
  /** The status of a call. */
  call(url: string, headers?: Record<string, string>): Promise<number>;
}

async function stage(settings: Record<string, string> = {}): Promise<Stage> {
  const app = await branchApp({ QUIRE_FUNCTION_CALLS_PER_MINUTE: '0', ...settings });
  const slug = await app.deploy(handler("return Response.json({ said: 'yes' })"));
  const page = await app.owner.publish({ name: 'Called', storage_mode: 'team_app', functions: [slug] });
  const branch = await app.branch(page.id, 'try');
  const [member, visitor] = [await app.quire.user('member'), await app.quire.user('visitor')];
  await join(app.quire, app.owner, page, member, 'viewer');
  const call = async (url: string, headers: Record<string, string> = {}) =>
    (await app.quire.request(url, { method: 'POST', headers })).status;
  return { app, page, branch, slug, member, visitor, call };
}

const bearer = ({ token }: TestUser) => ({ authorization: `Bearer ${token}` });
const toHost = (id: number) => `http://p${id}.pages.localhost:3000`;

/** Addresses of a branch's function that anybody can guess. */
const guesses = ({ slug, branch, app }: Stage): Array<[string, Record<string, string>]> => [
  [`/api/functions/${slug}--try`, {}],
  [`/api/functions/${slug}?quire_branch=${branch.page.id}`, {}],
  [`/api/functions/${slug}--try?quire_branch=${branch.page.id}`, {}],
  [`/api/functions/${slug}`, { referer: `${app.quire.baseUrl}/p/${branch.page.slug}` }],
  [`/api/functions/${slug}--try`, { origin: 'null' }],
];

async function assertOnlyTeam(given: Stage) {
  const { call, app, member, visitor, slug } = given;
  const login = await visitor.login();
  for (const [url, headers] of guesses(given)) {
    expect([url, await call(url, headers)]).toEqual([url, 404]);
    for (const who of [bearer(visitor), { authorization: 'Bearer wrong' }, { cookie: login }])
      expect([url, await call(url, { ...headers, ...who })]).toEqual([url, 404]);
    for (const who of [bearer(app.owner), bearer(member)])
      expect([url, await call(url, { ...headers, ...who })]).toEqual([url, 200]);
  }
  // The page itself is as it was.
  expect(await call(`/api/functions/${slug}`)).toBe(200);
}

async function setAccess({ app, page }: Stage, access: Record<string, unknown>) {
  const path = `/api/pages/${page.id}/branches/try`;
  expect((await app.owner.call('PATCH', path, { body: { access } })).status).toBe(200);
}

describe('in origin isolation', () => {
  let given: Stage;
  beforeAll(async () => {
    given = await stage();
  });
  afterAll(() => given.app.quire.stop());

  test('tokens call only for those who can see the branch', () => assertOnlyTeam(given));

  test('the host of the branch calls for those who can see it, and that of the page for nobody', async () => {
    const { app, call, branch, page, slug, member } = given;
    const login = await member.login();
    const [own, main] = [toHost(branch.page.id), toHost(page.id)];
    const cookie = await enterPage(app.quire, branch.page as PublishedPage, login);
    expect(await call(`${own}/api/functions/${slug}`, { cookie, origin: own })).toBe(200);
    expect(await call(`${own}/api/functions/${slug}--try`, { cookie, origin: own })).toBe(200);
    expect(await call(`${own}/api/functions/${slug}`, { origin: own })).toBe(404);
    expect(await call(`${own}/api/functions/${slug}`, { cookie, origin: main })).toBe(404);
    const elsewhere = await enterPage(app.quire, page, login);
    expect(await call(`${main}/api/functions/${slug}--try`, { cookie: elsewhere, origin: main })).toBe(404);
    expect(await call(`${own}/api/functions/${slug}`, { cookie: elsewhere, origin: own })).toBe(404);
  });

  test('reading about a function of a branch, and offering it, is for those who can see the branch', async () => {
    const { app, slug, member, visitor } = given;
    const read = async (name: string, headers = {}) =>
      (await app.quire.request(`/api/functions/${name}`, { headers })).status;
    for (const headers of [{}, bearer(visitor)])
      expect([await read(`${slug}--try`, headers), await read(slug, headers)]).toEqual([404, 200]);
    for (const who of [app.owner, member]) expect(await read(`${slug}--try`, bearer(who))).toBe(200);
    const calls = `<script>fetch('/api/functions/${slug}--try'); fetch('/api/functions/${slug}')</script>`;
    const other = await app.owner.publish({ name: 'Elsewhere', html_content: calls });
    const llms = await (await app.quire.request(`/p/${other.slug}/llms.txt`)).text();
    expect(llms).toContain(slug);
    expect(llms).not.toContain(`${slug}--try`);
    const offer = async (id: number) => {
      const agent_functions = [
        { slug: `${slug}--try`, description: 'Says yes', inputSchema: { type: 'object' } },
      ];
      return (await app.owner.call('PATCH', `/api/pages/${id}`, { body: { agent_functions } })).status;
    };
    expect([await offer(other.id), await offer(given.branch.page.id)]).toEqual([400, 200]);
  });

  test('the own host of a function needs a ticket of the branch', async () => {
    const { app, call, branch, page, slug, member } = given;
    const { workerUrl } = (await app.owner.call('GET', `/api/functions/${slug}--try`)).body;
    expect(await call(workerUrl)).toBe(404);
    expect(await call(workerUrl, bearer(given.visitor))).toBe(404);
    const own = toHost(branch.page.id);
    const cookie = await enterPage(app.quire, branch.page as PublishedPage, await member.login());
    const ask = (id: number, name: string, headers: Record<string, string>) =>
      app.quire.call('POST', `${toHost(id)}/api/pages/${id}/call-ticket`, {
        headers,
        body: { function: name },
      });
    const { body } = await ask(branch.page.id, slug, { cookie, origin: own });
    expect(await call(`${workerUrl}?quire_ticket=${body.ticket}`)).toBe(200);
    expect(await call(`${workerUrl}?quire_ticket=${body.ticket}x`)).toBe(404);
    // The page gives no tickets for functions of its branches, and those for its own open nothing else.
    const mainCookie = await enterPage(app.quire, page, await member.login());
    const from = { cookie: mainCookie, origin: toHost(page.id) };
    expect((await ask(page.id, `${slug}--try`, from)).status).toBe(404);
    const other = await ask(page.id, slug, from);
    expect(await call(`${workerUrl}?quire_ticket=${other.body.ticket}`)).toBe(404);
  });

  test('who shows the branch to everybody, or with a password, lets them call it', async () => {
    const { app, call, branch, slug } = given;
    const url = `/api/functions/${slug}--try`;
    await setAccess(given, { mode: 'password', password: 'open sesame' });
    expect(await call(url)).toBe(404);
    const pass = await app.quire.call('POST', `/api/pages/${branch.page.id}/pass`, {
      body: { password: 'open sesame' },
    });
    expect(await call(url, { 'x-page-pass': pass.body.pass })).toBe(200);
    await setAccess(given, { mode: 'public' });
    expect(await call(url)).toBe(200);
    await setAccess(given, { mode: 'team' });
    expect(await call(url)).toBe(404);
  });
});

test('in sandbox isolation, the page session of the branch calls for its visitor', async () => {
  const given = await stage({ QUIRE_ISOLATION: 'sandbox', QUIRE_BASE_URL: 'http://127.0.0.1:3000' });
  try {
    const { app, call, branch, page, slug, member } = given;
    const tokens = [given.member, given.visitor].map(bearer);
    const url = `/api/functions/${slug}?quire_branch=${branch.page.id}`;
    expect(await call(url, tokens[0])).toBe(200);
    expect(await call(url, tokens[1])).toBe(404);
    for (const [target, headers] of guesses(given)) expect(await call(target, headers)).toBe(404);
    const login = await member.login();
    const session = await openSandboxed(app.quire, branch.page as PublishedPage, login);
    expect(session).not.toBe('');
    expect(await call(url, { origin: 'null', 'x-page-session': session })).toBe(200);
    const elsewhere = await openSandboxed(app.quire, page, login);
    expect(await call(url, { origin: 'null', 'x-page-session': elsewhere })).toBe(404);
    // A sandboxed page has no cookies, and those of the service do not count there.
    expect(await call(url, { origin: 'null', cookie: login })).toBe(404);
    await app.quire.call('POST', '/api/auth/logout', { cookie: login });
    expect(await call(url, { origin: 'null', 'x-page-session': session })).toBe(404);
  } finally {
    await given.app.quire.stop();
  }
});

test('in trusted isolation, the login of the visitor calls from the branch', async () => {
  const given = await stage({ QUIRE_ISOLATION: 'trusted', QUIRE_BASE_URL: 'http://127.0.0.1:3000' });
  try {
    const { app, call, branch, slug, member, visitor } = given;
    const origin = app.quire.baseUrl;
    const referer = `${origin}/p/${branch.page.slug}`;
    const url = `/api/functions/${slug}`;
    const from = { origin, referer, 'sec-fetch-site': 'same-origin' };
    expect(await call(url, { ...from, cookie: await member.login() })).toBe(200);
    expect(await call(url, { ...from, cookie: await visitor.login() })).toBe(404);
    expect(await call(url, from)).toBe(404);
    const foreign = { ...from, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect(await call(url, { ...foreign, cookie: await member.login() })).toBe(404);
    await assertOnlyTeam(given);
  } finally {
    await given.app.quire.stop();
  }
});
