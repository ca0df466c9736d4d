import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { TestUser } from '../support/app.ts';
import { type TwoNodes, twoNodes } from '../support/cluster/nodes.ts';
import { create, type DataPage, join, publishApp, type Reading, readEvents } from '../support/data/data.ts';
import { handler } from '../support/functions/app.ts';
import { waitUntil } from '../support/server.ts';

let nodes: TwoNodes;
let owner: TestUser;
let ada: TestUser;
beforeAll(async () => {
  nodes = await twoNodes({ QUIRE_FUNCTION_CALLS_PER_MINUTE: '100' });
  owner = await nodes.a.user('owner');
  ada = await nodes.a.user('ada');
}, 120_000);
afterAll(() => nodes.stop());

const open: Reading[] = [];
afterEach(async () => {
  for (const reading of open.splice(0)) reading.close();
  nodes.redis.thaw();
  await nodes.untilRedis('there');
});

async function follow(at: 'a' | 'b', page: DataPage, user: TestUser, lastEventId?: string): Promise<Reading> {
  const response = await nodes[at].request(`/api/pages/${page.id}/events?collections=posts`, {
    headers: {
      authorization: `Bearer ${user.token}`,
      ...(lastEventId && { 'last-event-id': lastEventId }),
    },
  });
  expect(response.status).toBe(200);
  const reading = readEvents(response);
  open.push(reading);
  await reading.until(1, 'open');
  return reading;
}
const write = (page: DataPage, n: number) => create(ada, `${page.address}/posts`, { n });
const numbers = (reading: Reading) =>
  reading.events
    .filter(({ name }) => name === 'message')
    .map(({ data }) => (data as { record: { data: { n: number } } }).record.data.n);
const resets = (reading: Reading) => reading.events.filter(({ name }) => name === 'reset').length;
const lastId = (reading: Reading) => reading.events.at(-1)?.id ?? '';

describe('a follower at B', () => {
  test('gets what is written at A, and continues at the other node without loss', async () => {
    const page = await publishApp(owner, 'social');
    const atB = await follow('b', page, ada);
    for (const n of [1, 2, 3]) await write(page, n);
    await atB.until(3);
    expect(numbers(atB)).toEqual([1, 2, 3]);
    atB.close();
    for (const n of [4, 5]) await write(page, n);
    const atA = await follow('a', page, ada, lastId(atB));
    await write(page, 6);
    await atA.until(3);
    expect([numbers(atA), resets(atA)]).toEqual([[4, 5, 6], 0]);
    atA.close();
    await write(page, 7);
    const back = await follow('b', page, ada, lastId(atA));
    expect([numbers(back), resets(back)]).toEqual([[7], 0]);
  });

  test('sees no more than a rule lets them as soon as A has set it', async () => {
    const page = await publishApp(owner, 'social');
    const posts = `${page.address}/posts`;
    const bob = await nodes.a.user();
    const atB = await follow('b', page, bob);
    await write(page, 1);
    const schema = { rules: { read: 'author' } };
    expect((await owner.call('PUT', `${posts}/schema`, { body: { schema } })).status).toBe(200);
    const listed = await nodes.b.call('GET', posts, { token: bob.token });
    expect([listed.status, listed.body.total]).toEqual([200, 0]);
    expect((await nodes.b.call('GET', posts)).status).toBe(401);
    await write(page, 2);
    await create(bob, posts, { n: 3 });
    await atB.until(2);
    expect([numbers(atB), resets(atB)]).toEqual([[1, 3], 1]);
  });

  test('is disconnected when their token is deleted at A', async () => {
    const page = await publishApp(owner, 'social');
    const body = { name: 'reader', scopes: ['social-data:read'] };
    const { id, token } = (await ada.call('POST', '/api/auth/tokens', { body })).body;
    const atB = await follow('b', page, { ...ada, token });
    await ada.call('DELETE', `/api/auth/tokens/${id}`);
    await atB.ended;
  });

  test('is disconnected when A removes them from the team', async () => {
    const page = await publishApp(owner, 'team');
    await join(nodes.a, owner, page, ada, 'viewer');
    const atB = await follow('b', page, ada);
    const removal = await owner.call('DELETE', `/api/pages/${page.id}/team/${ada.id}`);
    expect(removal.status).toBe(204);
    await atB.ended;
  });

  test('does not get what they are no longer allowed to see while Redis hangs', async () => {
    const page = await publishApp(owner, 'team');
    await join(nodes.a, owner, page, ada, 'viewer');
    const atB = await follow('b', page, ada);
    nodes.redis.freeze();
    await nodes.untilRedis('unavailable');
    await owner.call('DELETE', `/api/pages/${page.id}/team/${ada.id}`);
    const written = await nodes.b.call('POST', `${page.address}/posts`, {
      token: owner.token,
      body: { data: { n: 1 } },
    });
    expect(written.status).toBe(201);
    await atB.ended;
    expect(numbers(atB)).toEqual([]);
  });
});

test('while Redis hangs, the service responds, followers on the same node get events, and all are reset afterwards', async () => {
  const page = await publishApp(owner, 'social');
  const [atA, atB] = [await follow('a', page, ada), await follow('b', page, ada)];
  nodes.redis.freeze();
  await write(page, 1);
  await atA.until(1);
  expect((await ada.call('GET', '/api/auth/me')).status).toBe(200);
  await nodes.untilRedis('unavailable');
  const health = await nodes.a.call('GET', '/healthz');
  expect(health.body).toMatchObject({
    status: 'ok',
    external: ['PostgreSQL', expect.stringContaining('unavailable')],
  });
  const newcomer = await follow('b', page, ada);
  nodes.redis.thaw();
  await Promise.all([atA, atB, newcomer].map((reading) => reading.until(1, 'reset')));
  await nodes.untilRedis('there');
  await write(page, 2);
  await Promise.all([atA.until(2), atB.until(1), newcomer.until(1)]);
  // Redis may still deliver the delayed event, but only once.
  expect(numbers(atA)).toEqual([1, 2]);
  for (const reading of [atB, newcomer]) expect([[2], [1, 2]]).toContainEqual(numbers(reading));
});

test('reconnects to a Redis that was killed and restarted, and loses nothing', async () => {
  const page = await publishApp(owner, 'social');
  const [atA, atB] = [await follow('a', page, ada), await follow('b', page, ada)];
  await nodes.redis.kill();
  await write(page, 1);
  await atA.until(1);
  await nodes.redis.start();
  await Promise.all([atA, atB].map((reading) => reading.until(1, 'reset')));
  await write(page, 2);
  await Promise.all([atA.until(2), atB.until(1)]);
  expect([numbers(atA), numbers(atB)]).toEqual([[1, 2], [2]]);
});

describe('logs of functions', () => {
  const code = handler(`console.log('line ' +  (await request.text())); return new Response('ok')`);
  const callAt = (at: 'a' | 'b', slug: string, word: string) =>
    nodes[at].request(`/api/functions/${slug}`, { method: 'POST', body: word });
  async function followLogs(slug: string): Promise<Reading> {
    const headers = { authorization: `Bearer ${owner.token}` };
    const response = await nodes.b.request(`/api/functions/${slug}/logs?follow=true`, { headers });
    expect(response.status).toBe(200);
    const reading = readEvents(response);
    open.push(reading);
    return reading;
  }
  const logged = (reading: Reading) =>
    reading.events
      .map(({ data }) => (data as { message: string }).message)
      .filter((message) => message.startsWith('line'))
      .sort();

  test('name the places of the source, also on a node that did not compile it', async () => {
    const body = {
      slug: 'compiled',
      code: 'import { fail } from "./lib/fail.ts";\nexport default { fetch: (): Response => fail("x") };',
      files: {
        'lib/fail.ts':
          'export type Word = string;\nexport function fail(word: Word): never {\n  throw new Error(word);\n}',
      },
    };
    expect((await owner.call('POST', '/api/functions', { body })).status).toBe(201);
    expect((await callAt('b', 'compiled', '')).status).toBe(500);
    const headers = { authorization: `Bearer ${owner.token}` };
    const read = await nodes.b.request('/api/functions/compiled/logs', { headers });
    const { logs } = (await read.json()) as { logs: Array<{ message: string }> };
    expect(logs.map(({ message }) => message).join()).toContain('(lib/fail.ts:3:9)');
  });

  test('reach a follower from all nodes, each line once, also lines that Redis did not announce', async () => {
    const deployed = await owner.call('POST', '/api/functions', {
      body: { slug: 'talks', code, isPublic: true },
    });
    expect(deployed.status).toBe(201);
    await callAt('a', 'talks', '0');
    const reading = await followLogs('talks');
    await Promise.all(['1', '2', '3'].map((word) => callAt('a', 'talks', word)));
    await Promise.all(['4', '5'].map((word) => callAt('b', 'talks', word)));
    await waitUntil(async () => logged(reading).length >= 6);
    nodes.redis.freeze();
    await nodes.untilRedis('unavailable');
    await callAt('a', 'talks', '6');
    await waitUntil(async () => logged(reading).length >= 7);
    nodes.redis.thaw();
    await nodes.untilRedis('there');
    await callAt('a', 'talks', '7');
    await waitUntil(async () => logged(reading).length >= 8);
    expect(logged(reading)).toEqual(Array.from({ length: 8 }, (_, n) => `line ${n}`));
  });

  test('count the calls of all nodes together', async () => {
    await owner.call('POST', '/api/functions', { body: { slug: 'counted', code, isPublic: true } });
    await Promise.all(Array.from({ length: 40 }, (_, i) => callAt(i % 2 ? 'a' : 'b', 'counted', 'x')));
    const calls = async () => {
      const { body } = await owner.call('GET', '/api/functions/counted/stats');
      return body.stats.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0);
    };
    await waitUntil(async () => (await calls()) === 40);
  });
});

test('nodes that start together print the same setup link, and it works once', async () => {
  const [link, other] = [await nodes.a.app.makeSetupLink(), await nodes.b.app.makeSetupLink()];
  expect(link).toContain('/setup?code=');
  expect(other).toBe(link);
  const path = new URL(link ?? '').pathname + new URL(link ?? '').search;
  expect((await nodes.b.request(path)).status).toBe(200);
  nodes.a.advance(6 * 60_000);
  const later = await nodes.a.app.makeSetupLink();
  expect(later).not.toBe(link);
  expect((await nodes.b.request(path)).status).toBe(404);
});

test('limits are exact across nodes, and count per node while Redis hangs', async () => {
  const statuses = async (peer: string, count: number) => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, i) =>
        nodes[i % 2 ? 'a' : 'b'].call('POST', '/api/functions/none', { peer, body: {} }),
      ),
    );
    return [404, 429].map((status) => answers.filter((answer) => answer.status === status).length);
  };
  expect(await statuses('192.0.2.1', 240)).toEqual([100, 140]);
  nodes.redis.freeze();
  expect(await statuses('192.0.2.2', 240)).toEqual([200, 40]);
  nodes.redis.thaw();
  await nodes.untilRedis('there');
  expect(await statuses('192.0.2.3', 240)).toEqual([100, 140]);
});
