import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { create, type DataPage, join, publishApp } from '../../support/data/data.ts';

let quire: TestApp;
let owner: TestUser;
let ada: TestUser;
let bob: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  ada = await quire.user('ada');
  bob = await quire.user('bob');
});
afterAll(() => quire.stop());

describe('solo data', () => {
  let page: DataPage;
  let todos: string;
  beforeAll(async () => {
    page = await publishApp(owner, 'solo');
    todos = `${page.address}/todos`;
  });

  test('belongs to each user', async () => {
    const made = await create(ada, todos, { title: 'Ada’s' });
    expect(made).not.toHaveProperty('createdBy');
    await create(bob, todos, { title: 'Bob’s' });
    for (const user of [ada, bob]) {
      const { body } = await user.call('GET', todos);
      expect([body.total, body.records.length]).toEqual([1, 1]);
      expect((await user.call('GET', `${todos}/count`)).body).toEqual({ count: 1 });
      expect((await user.call('GET', page.address)).body.collections).toMatchObject([
        { name: 'todos', recordCount: 1 },
      ]);
    }
    expect((await owner.call('GET', todos)).body.total).toBe(0);
    expect((await owner.call('GET', page.address)).body.collections).toEqual([]);
  });

  test('of someone else does not exist for other users, including the owner of the page', async () => {
    const { id } = await create(ada, todos, { secret: 'x' });
    for (const user of [bob, owner]) {
      expect((await user.call('GET', `${todos}/${id}`)).status).toBe(404);
      expect((await user.call('PATCH', `${todos}/${id}`, { body: { data: { a: 1 } } })).status).toBe(404);
      expect((await user.call('DELETE', `${todos}/${id}`)).status).toBe(404);
      const operations = [{ op: 'delete', id }];
      expect((await user.call('POST', `${todos}/batch`, { body: { operations } })).status).toBe(404);
      for (const query of [
        'where={"secret":"x"}',
        'where={"or":[{"secret":"x"},{}]}',
        `before=${id}`,
        'mine=false',
      ]) {
        const { body } = await user.call('GET', `${todos}?${query}`);
        expect(JSON.stringify(body)).not.toContain(id);
      }
      expect((await user.call('GET', `${todos}/count?where={"secret":"x"}`)).body.count).toBe(0);
    }
    expect((await ada.call('GET', `${todos}/${id}`)).body.data).toEqual({ secret: 'x' });
  });

  test('requires a login', async () => {
    for (const address of [
      page.address,
      todos,
      `${todos}/count`,
      `/api/pages/${page.id}/events?collections=todos`,
    ]) {
      const answer = await quire.call('GET', address);
      expect([address, answer.status, answer.body.code]).toEqual([address, 401, 'UNAUTHORIZED']);
    }
    expect((await quire.call('POST', todos, { body: { data: {} } })).status).toBe(401);
  });
});

describe('social data', () => {
  let page: DataPage;
  let posts: string;
  beforeAll(async () => {
    page = await publishApp(owner, 'social');
    posts = `${page.address}/posts`;
  });

  test('can be read by anyone, from any site, without a login', async () => {
    const { id } = await create(ada, posts, { title: 'Hello' });
    for (const address of [page.address, posts, `${posts}/${id}`, `${posts}/count`]) {
      const answer = await quire.call('GET', address, { headers: { origin: 'https://elsewhere.example' } });
      expect([address, answer.status]).toEqual([address, 200]);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    }
    const bad = await quire.call('GET', posts, { token: 'nonsense' });
    expect(bad.status).toBe(200);
  });

  test('can be changed only by its creator; the owner of the page can delete it', async () => {
    const { id } = await create(ada, posts, { title: 'Ada’s' });
    const own = `${posts}/${id}`;
    expect((await quire.call('PATCH', own, { body: { data: {} } })).status).toBe(401);
    expect((await quire.call('DELETE', own)).status).toBe(401);
    for (const user of [bob, owner]) {
      expect((await user.call('PATCH', own, { body: { data: { title: 'x' } } })).status).toBe(403);
    }
    expect((await bob.call('DELETE', own)).status).toBe(403);
    expect((await owner.call('DELETE', own)).status).toBe(204);
  });

  test('cannot be written from another site with a cookie', async () => {
    const cookie = await ada.login();
    const from = (headers: Record<string, string>) =>
      quire.call('POST', posts, { cookie, headers, body: { data: {} } });
    expect((await from({})).status).toBe(201);
    expect((await from({ origin: quire.baseUrl, 'sec-fetch-site': 'same-origin' })).status).toBe(201);
    for (const origin of ['https://elsewhere.example', 'null', `http://p${page.id}.pages.localhost`]) {
      expect([origin, (await from({ origin })).status]).toEqual([origin, 401]);
    }
    expect((await from({ 'sec-fetch-site': 'same-site' })).status).toBe(401);
  });
});

describe('a token', () => {
  const kinds = ['solo', 'team', 'social'] as const;
  test.each(kinds)('needs the scope of %s data', async (mode) => {
    const page = await publishApp(owner, mode);
    const tokenWith = async (...scopes: string[]) =>
      (await owner.call('POST', '/api/auth/tokens', { body: { name: 't', scopes } })).body.token as string;
    const reads = await tokenWith(`${mode}-data:read`);
    const writes = await tokenWith(`${mode}-data:write`);
    const others = await tokenWith(
      'pages:write',
      ...kinds.filter((kind) => kind !== mode).map((kind) => `${kind}-data:write`),
    );
    const read = (token: string) => quire.call('GET', `${page.address}/x`, { token });
    const write = (token: string) => quire.call('POST', `${page.address}/x`, { token, body: { data: {} } });
    expect((await write(writes)).status).toBe(201);
    expect((await read(reads)).status).toBe(200);
    for (const token of [reads, others]) {
      const refused = await write(token);
      expect([refused.status, refused.body.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
      expect(refused.body.error).toContain(`${mode}-data:write`);
    }
    // Public data needs no scope.
    expect((await read(others)).status).toBe(mode === 'social' ? 200 : 403);
    const stream = await quire.request(`/api/pages/${page.id}/events?collections=x`, {
      headers: { authorization: `Bearer ${others}` },
    });
    expect(stream.status).toBe(mode === 'social' ? 200 : 401);
    await stream.body?.cancel();
  });
});

describe('team data', () => {
  let page: DataPage;
  let tasks: string;
  const people: Record<string, TestUser> = {};
  beforeAll(async () => {
    page = await publishApp(owner, 'team');
    tasks = `${page.address}/tasks`;
    for (const role of ['admin', 'member', 'viewer']) {
      const user = await quire.user(`team-${role.slice(0, 3)}`);
      await join(quire, owner, page, user, role);
      people[role] = user;
    }
    people.owner = owner;
    people.stranger = ada;
  });

  const rows: Array<[role: string, read: number, create: number, changeOwn: number, changeOthers: number]> = [
    ['owner', 200, 201, 200, 200],
    ['admin', 200, 201, 200, 200],
    ['member', 200, 201, 200, 403],
    ['viewer', 200, 403, 403, 403],
    ['stranger', 403, 403, 403, 403],
  ];
  test.each(rows)('for the %s', async (role, read, add, changeOwn, changeOthers) => {
    const user = people[role] as TestUser;
    const others = await create(role === 'owner' ? (people.admin as TestUser) : owner, tasks, { n: 1 });
    const asked = await user.call('POST', tasks, { body: { data: { n: 2 } } });
    expect(asked.status).toBe(add);
    expect((await user.call('GET', tasks)).status).toBe(read);
    expect((await user.call('GET', `${tasks}/${others.id}`)).status).toBe(read);
    expect((await user.call('PATCH', `${tasks}/${others.id}`, { body: { data: { n: 3 } } })).status).toBe(
      changeOthers,
    );
    const operations = [{ op: 'update', id: others.id, data: { n: 4 } }];
    expect((await user.call('POST', `${tasks}/batch`, { body: { operations } })).status).toBe(changeOthers);
    expect((await user.call('POST', `${tasks}/batch`, { body: { operations: [] } })).status).toBe(
      add === 201 ? 200 : 403,
    );
    if (add === 201) {
      const own = `${tasks}/${asked.body.id}`;
      expect((await user.call('PATCH', own, { body: { data: {} } })).status).toBe(changeOwn);
      expect((await user.call('DELETE', own)).status).toBe(204);
    }
    const gone = await user.call('DELETE', `${tasks}/${others.id}`);
    expect(gone.status).toBe(changeOthers === 200 ? 204 : 403);
  });

  test('of a member who became a viewer can only be read by them', async () => {
    const user = await quire.user();
    await join(quire, owner, page, user, 'member');
    const { id } = await create(user, tasks, {});
    await owner.call('PATCH', `/api/pages/${page.id}/team/${user.id}`, { body: { role: 'viewer' } });
    expect((await user.call('PATCH', `${tasks}/${id}`, { body: { data: {} } })).status).toBe(403);
    expect((await user.call('GET', `${tasks}/${id}`)).body.createdBy).toEqual({
      id: user.id,
      username: user.username,
    });
  });
});

test('the order of one’s own records reveals nothing about those of others', async () => {
  const page = await publishApp(owner, 'solo');
  const notes = `${page.address}/notes`;
  const secret = await create(ada, notes, { pin: 4711 });
  const mine = await create(bob, notes, { pin: 5000 });
  const unknown = '01900000-0000-7000-8000-000000000000';
  for (const query of ['orderBy=data.pin&order=asc', 'orderBy=updated_at']) {
    const [ofAda, ofNobody] = await Promise.all(
      [secret.id, unknown].map((id) => bob.call('GET', `${notes}?${query}&after=${id}`)),
    );
    expect(ofAda?.status).toBe(400);
    expect(ofAda?.body).toEqual(ofNobody?.body);
  }
  expect((await bob.call('GET', `${notes}?orderBy=data.pin&after=${mine.id}`)).status).toBe(200);
});
