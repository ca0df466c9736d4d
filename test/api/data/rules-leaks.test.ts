import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { create, type DataPage, join, publishApp, readEvents } from '../../support/data/data.ts';

let quire: TestApp;
let owner: TestUser;
let ada: TestUser;
let bob: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  ada = await quire.user('ada');
  bob = await quire.user('bob');
  stranger = await quire.user('stranger');
});
afterAll(() => quire.stop());

async function teamPage(): Promise<DataPage> {
  const page = await publishApp(owner, 'team');
  await join(quire, owner, page, ada, 'member');
  await join(quire, owner, page, bob, 'member');
  return page;
}

const setSchema = (address: string, schema: object) =>
  owner.call('PUT', `${address}/schema`, { body: { schema } });

async function follow(page: DataPage, collections: string, user?: TestUser, lastEventId?: string) {
  const response = await quire.request(`/api/pages/${page.id}/events?collections=${collections}`, {
    headers: {
      ...(user && { authorization: `Bearer ${user.token}` }),
      ...(lastEventId && { 'last-event-id': lastEventId }),
    },
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const reading = readEvents(response);
  await reading.until(1, 'open');
  return reading;
}

describe('records that a rule hides', () => {
  let page: DataPage;
  let cards: string;
  let secret: string;
  beforeAll(async () => {
    page = await teamPage();
    cards = `${page.address}/cards`;
    await setSchema(cards, { rules: { read: 'author' } });
    secret = (await create(ada, cards, { title: 'secret', rank: 1, kind: 'a' })).id;
    await create(bob, cards, { title: 'mine', rank: 2, kind: 'b' });
  });

  test('are in no list, count, group, order or cursor', async () => {
    const list = async (query: string) => (await bob.call('GET', `${cards}?${query}`)).body;
    for (const query of [
      '',
      'limit=1',
      'mine=true',
      'where={"title":"secret"}',
      'where={"or":[{"title":"secret"},{}]}',
      'orderBy=data.rank&order=asc',
      'orderBy=updated_at',
      'offset=0&order=asc',
      `before=${secret}`,
    ]) {
      const body = await list(query);
      expect([query, JSON.stringify(body)]).not.toEqual([query, expect.stringContaining('secret')]);
      expect([query, body.total, body.hasMore]).toEqual([
        query,
        query.includes('"title"') ? body.total : 1,
        false,
      ]);
    }
    expect((await list('where={"title":"secret"}')).total).toBe(0);
    const cursor = await bob.call('GET', `${cards}?orderBy=data.rank&after=${secret}`);
    const unknown = await bob.call('GET', `${cards}?orderBy=data.rank&after=${secret.replace(/.$/, '0')}`);
    expect([cursor.status, cursor.body]).toEqual([unknown.status, unknown.body]);
    const count = async (query: string) => (await bob.call('GET', `${cards}/count?${query}`)).body;
    expect(await count('')).toEqual({ count: 1 });
    expect(await count('where={"rank":1}')).toEqual({ count: 0 });
    expect(await count('groupBy=kind')).toEqual({ count: 1, groups: [{ value: 'b', count: 1 }] });
    const { collections } = (await bob.call('GET', page.address)).body;
    const own = (await list('')).records[0];
    expect(collections).toEqual([{ name: 'cards', recordCount: 1, lastUpdated: own.updatedAt }]);
    expect((await owner.call('GET', cards)).body.total).toBe(2);
    expect((await owner.call('GET', page.address)).body.collections).toMatchObject([{ recordCount: 2 }]);
  });

  test('look like records that do not exist', async () => {
    const missing = secret.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { data: { title: 'x' } }],
      ['PUT', { data: { title: 'x' } }],
      ['DELETE', undefined],
    ] as const) {
      const call = (id: string) => bob.call(method, `${cards}/${id}`, body ? { body } : {});
      const [hidden, none] = [await call(secret), await call(missing)];
      expect([method, hidden.status, hidden.body]).toEqual([method, 404, none.body]);
    }
    const batch = (id: string) =>
      bob.call('POST', `${cards}/batch`, { body: { operations: [{ op: 'delete', id }] } });
    expect((await batch(secret)).body).toEqual((await batch(missing)).body);
    expect((await ada.call('GET', `${cards}/${secret}`)).body.data.title).toBe('secret');
  });

  test('of a closed collection get the same answer whether they exist or not', async () => {
    const closed = `${page.address}/closed`;
    const { id } = await create(ada, closed, { n: 1 });
    await setSchema(closed, { rules: { read: 'admin', update: 'member', delete: 'member' } });
    const missing = id.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'));
    for (const method of ['GET', 'PATCH', 'PUT', 'DELETE']) {
      const call = (which: string) =>
        bob.call(method, `${closed}/${which}`, method.startsWith('P') ? { body: { data: {} } } : {});
      const [there, not] = [await call(id), await call(missing)];
      expect([method, there.status, there.body]).toEqual([method, 403, not.body]);
    }
    for (const path of [closed, `${closed}/count`, `${closed}?where={"n":1}`]) {
      expect([path, (await bob.call('GET', path)).status]).toEqual([path, 403]);
    }
    expect((await bob.call('GET', page.address)).body.collections.map(({ name }: never) => name)).toEqual([
      'cards',
    ]);
    // They can still add to it.
    expect((await bob.call('POST', closed, { body: { data: { n: 2 } } })).status).toBe(201);
  });

  test('are not reached by tools of the page', async () => {
    const call = async (user: TestUser, name: string, input: object) => {
      const answer = await user.call('POST', `/p/${page.slug}/mcp`, {
        headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: input },
        },
      });
      return JSON.stringify(answer.body);
    };
    expect(await call(ada, 'list_records', { collection: 'cards' })).toContain('secret');
    for (const [name, input] of [
      ['list_records', { collection: 'cards' }],
      ['list_cards', {}],
      ['get_record', { collection: 'cards', recordId: secret }],
      ['list_collections', {}],
    ] as const) {
      expect([name, await call(bob, name, input)]).not.toEqual([name, expect.stringContaining('secret')]);
    }
  });
});

describe('a rule that opens a collection of a team', () => {
  test('lets guests read that one and no other', async () => {
    const page = await teamPage();
    const news = `${page.address}/news`;
    const { id } = await create(ada, news, { n: 1 });
    await create(ada, `${page.address}/plans`, { n: 2 });
    const read = async (path: string, call = quire.call) => (await call('GET', path)).status;
    const addresses = [page.address, news, `${news}/${id}`, `${news}/count`];
    for (const path of addresses) expect([path, await read(path)]).toEqual([path, 401]);
    await setSchema(news, { rules: { read: 'anyone' } });
    for (const path of addresses) expect([path, await read(path)]).toEqual([path, 200]);
    expect((await quire.call('GET', page.address)).body.collections).toMatchObject([{ name: 'news' }]);
    expect(await read(`${page.address}/plans`)).toBe(401);
    expect(await read(`${page.address}/plans`, (...call) => stranger.call(...call))).toBe(403);
    expect((await quire.call('POST', news, { body: { data: {} } })).status).toBe(401);
    expect((await owner.call('DELETE', `${news}/schema`)).status).toBe(204);
    for (const path of addresses) expect([path, await read(path)]).toEqual([path, 401]);
  });
});

describe('events', () => {
  test('go only to those whom the rules let read', async () => {
    const page = await teamPage();
    await setSchema(`${page.address}/own`, { rules: { read: 'author' } });
    await setSchema(`${page.address}/open`, { rules: { read: 'anyone' } });
    const [adas, guests, owners] = await Promise.all([
      follow(page, 'own,open', ada),
      follow(page, 'own,open'),
      follow(page, 'own,open', owner),
    ]);
    const { id } = await create(bob, `${page.address}/own`, { by: 'bob' });
    await create(ada, `${page.address}/own`, { by: 'ada' });
    await bob.call('DELETE', `${page.address}/own/${id}`);
    await create(bob, `${page.address}/open`, { by: 'all' });
    const told = async (reading: typeof adas, count: number) =>
      (await reading.until(count)).map(({ data }) => {
        const { type, record } = data as { type: string; record?: { data: { by: string } } };
        return `${type} ${record?.data.by ?? ''}`;
      });
    expect(await told(owners, 4)).toEqual(['created bob', 'created ada', 'deleted ', 'created all']);
    expect(await told(adas, 2)).toEqual(['created ada', 'created all']);
    expect(await told(guests, 1)).toEqual(['created all']);
    for (const reading of [adas, guests, owners]) reading.close();
  });

  test('are refused to who can read none of the collections', async () => {
    const page = await publishApp(owner, 'social');
    await setSchema(`${page.address}/closed`, { rules: { read: 'owner' } });
    const status = async (collections: string, user?: TestUser) => {
      const response = await quire.request(`/api/pages/${page.id}/events?collections=${collections}`, {
        headers: user ? { authorization: `Bearer ${user.token}` } : {},
      });
      await response.body?.cancel();
      return response.status;
    };
    expect([await status('closed'), await status('closed', ada), await status('closed,posts')]).toEqual([
      401, 403, 200,
    ]);
  });

  test('follow a new rule at once, and tell the follower to read again', async () => {
    const page = await publishApp(owner, 'social');
    const posts = `${page.address}/posts`;
    const [guest, reader] = [await follow(page, 'posts,other'), await follow(page, 'posts,other', ada)];
    await create(bob, posts, { n: 1 });
    await setSchema(posts, { rules: { read: 'user' } });
    const [{ id: lastSeen = '' } = {}] = (await guest.until(1, 'reset')).slice(-1);
    await create(bob, posts, { n: 2 });
    await setSchema(posts, { fields: { n: { type: 'number' } }, rules: { read: 'user' } });
    await create(bob, `${page.address}/other`, { n: 3 });
    const numbers = async (reading: typeof guest, count: number) =>
      (await reading.until(count)).map(
        ({ data }) => (data as { record: { data: { n: number } } }).record.data.n,
      );
    expect(await numbers(reader, 3)).toEqual([1, 2, 3]);
    expect(await numbers(guest, 2)).toEqual([1, 3]);
    // A change of fields alone is not a change of access.
    expect((await reader.until(1, 'reset')).length).toBe(1);
    guest.close();
    // Nor do missed events give away what the rule hides.
    const back = await follow(page, 'posts,other', undefined, lastSeen);
    expect(await numbers(back, 1)).toEqual([3]);
    back.close();
    await setSchema(posts, { rules: { read: 'author' } });
    const late = await follow(page, 'posts', ada, lastSeen);
    expect(late.events.map(({ name }) => name)).toEqual(['reset', 'open']);
    late.close();
    reader.close();
  });

  test('end when a rule takes away everything that is followed', async () => {
    const page = await publishApp(owner, 'social');
    const reading = await follow(page, 'posts', ada);
    await setSchema(`${page.address}/posts`, { rules: { read: 'owner' } });
    await reading.ended;
  });
});

describe('the rules of a schema', () => {
  test('are in the schema, in the agent spec and in copies of the page', async () => {
    const page = await publishApp(owner, 'team');
    const schema = { fields: { title: { type: 'string' } }, rules: { read: 'anyone', update: 'member' } };
    expect((await setSchema(`${page.address}/cards`, schema)).body.schema).toEqual(schema);
    const entry = { collection: 'cards', storageType: 'team_data', schema };
    expect((await quire.call('GET', `${page.address}/cards/schema`)).body).toEqual(entry);
    expect((await quire.call('GET', `/api/pages/${page.id}/agent-spec`)).body.schemas).toEqual([entry]);
    const copy = (await ada.call('POST', `/api/pages/${page.id}/fork`)).body.page;
    expect((await quire.call('GET', `/api/pages/${copy.id}/agent-spec`)).body.schemas).toEqual([entry]);
    expect((await quire.call('GET', `/api/pages/${copy.id}/team-data/cards`)).status).toBe(200);
  });

  test.each([
    [{ rules: { read: 'everyone' } }, 'schema.rules.read'],
    [{ rules: { list: 'anyone' } }, 'schema.rules.list'],
    [{ rules: 'anyone' }, 'schema.rules'],
    [{ rules: null }, 'schema.fields'],
    [{}, 'schema.fields'],
  ])('are refused if they are wrong: %j', async (schema, path) => {
    const page = await publishApp(owner, 'team');
    const answer = await setSchema(`${page.address}/cards`, schema);
    expect(answer.status).toBe(400);
    expect(answer.body.details.map((fault: { path: string }) => fault.path)).toContain(path);
  });

  test('can be empty, which is no rule', async () => {
    const page = await publishApp(owner, 'team');
    const answer = await setSchema(`${page.address}/cards`, { rules: {} });
    expect([answer.status, (await quire.call('GET', `${page.address}/cards`)).status]).toEqual([200, 401]);
    expect((await owner.call('GET', `${page.address}/cards/schema`)).body.schema).toEqual({ fields: {} });
  });

  test('let members move the cards of others, and say who can if not', async () => {
    const page = await teamPage();
    const cards = `${page.address}/cards`;
    const { id } = await create(ada, cards, { column: 'todo' });
    const move = () => bob.call('PATCH', `${cards}/${id}`, { body: { data: { column: 'done' } } });
    expect((await move()).status).toBe(403);
    await setSchema(cards, { rules: { update: 'member' } });
    expect((await move()).body.data).toEqual({ column: 'done' });
    await setSchema(cards, { rules: { update: 'admin' } });
    expect((await move()).body).toMatchObject({
      code: 'FORBIDDEN',
      error:
        'By the rules of this collection, only admins of the team and the owner of the page can update its records. Ask the owner of the page.',
    });
  });
});
