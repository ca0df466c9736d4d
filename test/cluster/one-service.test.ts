import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DEVICE_CODE_GRANT } from '../../contract/oauth/protocol.ts';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster/cluster.ts';
import { race, statuses } from '../support/cluster/races.ts';
import { download, follow, publishTeam, upload } from '../support/cluster/team.ts';
import type { Reading } from '../support/data/data.ts';
import { rounds } from '../support/faults/rounds.ts';
import { type Account, call, login, publish, register } from '../support/http/client.ts';
import { hiddenFields } from '../support/oauth.ts';
import { waitUntil } from '../support/server.ts';

/** The nodes behave as one service, whichever node gets the request. */

/** A node checks a cached page after 30 seconds. Before that, another node must have announced the change. */
const SOON_MS = 20_000;
const RACERS = rounds(30, 200);
/** Creating accounts is slow, because hashing a password is. */
const ACCOUNTS = rounds(10, 40);
const CREDITS = 50;
const IMAGE_CREDITS = 4;
/** The limit per page and minute. The test uses several pages, so that only credits decide. */
const IMAGES_PER_PAGE = 10;

let cluster: Cluster;
let a: ClusterNode;
let b: ClusterNode;
let c: ClusterNode;
let owner: Account;
beforeAll(async () => {
  cluster = await startCluster({ settings: { QUIRE_CREDITS_NEW_USER: String(CREDITS) } });
  [a, b, c] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
  owner = await register(a, 'owner');
}, 120_000);
afterAll(() => cluster?.stop(), 60_000);

const asOwner = (node: ClusterNode, method: string, path: string, body?: unknown) =>
  call(node, method, path, { token: owner.token, timeoutMs: 60_000, ...(body !== undefined && { body }) });

describe('pages', () => {
  test('are served by every node and by the load balancer, also on their own host', async () => {
    const page = await publish(a, owner.token, { html_content: '<!doctype html><p>everywhere' });
    for (const node of [b, c, a, cluster]) {
      const served = await call(node, 'GET', `/p/${page.slug}`);
      expect(served.body).toContain('everywhere');
    }
    const host = `p${page.id}.pages.localhost:${cluster.port}`;
    const own = await call(cluster, 'GET', '/', { headers: { host } });
    expect({ status: own.status, isThere: own.body.includes('everywhere') }).toEqual({
      status: 200,
      isThere: true,
    });
  });

  test('have their files on every node, large ones in parts', async () => {
    const page = await publish(a, owner.token);
    const large = crypto.getRandomValues(new Uint8Array(65_536));
    const files = {
      'style.css': Buffer.from('p { color: teal }'),
      'large.bin': Buffer.concat(Array.from({ length: 40 }, () => large)),
    };
    const ask = (node: { port: number }, path: string, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${node.port}${path}`, init);
    for (const [path, body] of Object.entries(files)) {
      const headers = { authorization: `Bearer ${owner.token}` };
      const put = await ask(a, `/api/pages/${page.id}/files/${path}`, { method: 'PUT', headers, body });
      expect(put.status).toBe(200);
    }
    for (const node of cluster.nodes) {
      // A node that has the page without its files hears of them.
      await waitUntil(
        async () => (await ask(node, `/p/${page.slug}/large.bin`, { method: 'HEAD' })).ok,
        SOON_MS,
      );
      for (const [path, content] of Object.entries(files)) {
        const whole = await ask(node, `/p/${page.slug}/${path}`);
        expect(content.equals(await whole.bytes())).toBe(true);
        const part = await ask(node, `/p/${page.slug}/${path}`, { headers: { range: 'bytes=5-' } });
        expect(part.status).toBe(206);
        expect(content.subarray(5).equals(await part.bytes())).toBe(true);
      }
    }
    expect((await asOwner(b, 'DELETE', `/api/pages/${page.id}/files/style.css`)).status).toBe(200);
    for (const node of cluster.nodes)
      await waitUntil(async () => (await ask(node, `/p/${page.slug}/style.css`)).status === 404, SOON_MS);
  });

  test('change on every node long before its cached copy expires', async () => {
    const page = await publish(a, owner.token);
    for (let round = 1; round <= rounds(2, 20); round++) {
      for (const node of cluster.nodes) await call(node, 'GET', `/p/${page.slug}`);
      const html = `<!doctype html><p>round ${round}.`;
      expect((await asOwner(a, 'PATCH', `/api/pages/${page.id}`, { html_content: html })).status).toBe(200);
      for (const node of [b, c, a])
        await waitUntil(
          async () => (await call(node, 'GET', `/p/${page.slug}`)).body.includes(`round ${round}.`),
          SOON_MS,
        );
    }
  });

  test('are gone from every node when they are deleted or unpublished', async () => {
    for (const change of [
      (id: number) => asOwner(b, 'DELETE', `/api/pages/${id}`),
      (id: number) => asOwner(c, 'PATCH', `/api/pages/${id}`, { is_published: false }),
      (id: number) => asOwner(c, 'PATCH', `/api/pages/${id}`, { slug: `moved-${id}` }),
    ]) {
      const page = await publish(a, owner.token);
      for (const node of cluster.nodes) await call(node, 'GET', `/p/${page.slug}`);
      expect((await change(page.id)).status).toBe(200);
      for (const node of cluster.nodes)
        await waitUntil(async () => (await call(node, 'GET', `/p/${page.slug}`)).status !== 200, SOON_MS);
    }
  });

  test('count the views of all nodes together', async () => {
    const page = await publish(a, owner.token);
    for (let view = 0; view < 12; view++) await call(cluster.nodes[view % 3] ?? a, 'GET', `/p/${page.slug}`);
    for (const node of cluster.nodes) {
      const views = async () => (await asOwner(node, 'GET', `/api/pages/${page.id}`)).body.page.views;
      await waitUntil(async () => (await views()) === 12);
    }
  });
});

test('a login at one node is valid at the others, until it is logged out', async () => {
  const cookie = await login(a, owner.username);
  for (const node of [b, c, cluster])
    expect((await call(node, 'GET', '/api/auth/me', { cookie })).body.user.username).toBe('owner');
  expect((await call(b, 'POST', '/api/auth/logout', { cookie })).status).toBeLessThan(300);
  for (const node of cluster.nodes)
    expect((await call(node, 'GET', '/api/auth/me', { cookie })).status).toBe(401);
});

test('an app is allowed on one node, gets its tokens once from another, and is disconnected on all', async () => {
  const client_id = 'quire-cli';
  const { device_code, user_code } = (
    await call(a, 'POST', '/oauth/device_authorization', { body: { client_id, scope: 'pages:read' } })
  ).body;
  const cookie = await login(a, 'owner');
  const screen = await call(b, 'POST', '/device', { cookie, body: { user_code } });
  const chosen = { preset: 'own', scope: ['pages:read'], sure: 'yes' };
  const form = { ...hiddenFields(screen.body), ...chosen, answer: 'allow' };
  expect((await call(c, 'POST', '/device', { cookie, body: form })).status).toBe(200);
  const body = { grant_type: DEVICE_CODE_GRANT, client_id, device_code };
  const answers = await Promise.all([a, b, c].map((node) => call(node, 'POST', '/oauth/token', { body })));
  expect(statuses(answers)).toEqual({ 200: 1, 400: 2 });
  const { access_token: token, refresh_token } = answers.find(({ status }) => status === 200)?.body ?? {};
  for (const node of [a, b, c]) expect((await call(node, 'GET', '/api/pages', { token })).status).toBe(200);
  const again = { grant_type: 'refresh_token', client_id, refresh_token };
  const next = await Promise.all([a, b].map((node) => call(node, 'POST', '/oauth/token', { body: again })));
  expect(next.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  // Two parties used the refresh token: everything has ended, on every node.
  for (const node of [a, b, c]) expect((await call(node, 'GET', '/api/pages', { token })).status).toBe(401);
});

describe('files', () => {
  test('uploaded at one node can be downloaded at another, and are gone everywhere after deletion', async () => {
    const page = await publishTeam(a, owner.token);
    const file = await upload(a, owner.token, page.id, 'some text');
    expect(file.status).toBe(201);
    const { id } = file.body.file ?? file.body;
    for (const node of [c, b]) {
      const got = await download(node, owner.token, page.id, id);
      expect({ status: got.status, body: got.body }).toEqual({ status: 200, body: 'some text' });
    }
    expect((await asOwner(b, 'DELETE', `/api/pages/${page.id}/team-files/${id}`)).status).toBeLessThan(300);
    expect((await download(c, owner.token, page.id, id)).status).toBe(404);
  });

  test('such as a preview image made at one node are served by all nodes', async () => {
    const page = await publish(a, owner.token);
    const made = await asOwner(a, 'POST', `/api/pages/${page.id}/generate-preview-image`, {});
    expect(made.status).toBe(200);
    const { pathname } = new URL(made.body.imageUrl);
    const pictures = await Promise.all(
      [a, b, c, cluster].map(async ({ port }) => {
        const response = await fetch(`http://127.0.0.1:${port}${pathname}`);
        return `${response.status} ${Bun.hash(await response.arrayBuffer())}`;
      }),
    );
    expect(new Set(pictures).size).toBe(1);
    expect(pictures[0]).toStartWith('200 ');
  });

  test('such as a screenshot that one node took are served by all nodes', async () => {
    const page = await publish(a, owner.token, { html_content: '<!doctype html><title>Seen' });
    const checked = await asOwner(b, 'POST', `/api/pages/${page.id}/check`, {});
    expect(checked.body.title).toBe('Seen');
    const { pathname } = new URL(checked.body.screenshot.url);
    for (const node of [c, a, b]) expect((await call(node, 'GET', pathname)).status).toBe(200);
  }, 60_000);
});

describe('functions', () => {
  const says = (text: string) =>
    `export default { fetch() { console.log('said ${text}'); return new Response('${text}'); } };`;

  test('run on every node in the version that was deployed last', async () => {
    const made = await asOwner(a, 'POST', '/api/functions', { slug: 'versions', code: says('one') });
    expect(made.status).toBe(201);
    for (const node of cluster.nodes)
      expect((await call(node, 'POST', '/api/functions/versions')).body).toBe('one');
    await asOwner(b, 'PATCH', '/api/functions/versions', { code: says('two') });
    for (const node of cluster.nodes)
      await waitUntil(
        async () => (await call(node, 'POST', '/api/functions/versions')).body === 'two',
        SOON_MS,
      );
    await asOwner(c, 'PUT', '/api/functions/versions/secrets/GREETING', { value: 'hello' });
    const code = `export default { fetch: (request, env) => new Response(env.GREETING) };`;
    await asOwner(a, 'PATCH', '/api/functions/versions', { code });
    for (const node of cluster.nodes)
      await waitUntil(
        async () => (await call(node, 'POST', '/api/functions/versions')).body === 'hello',
        SOON_MS,
      );
    expect((await asOwner(c, 'DELETE', '/api/functions/versions')).status).toBe(204);
    for (const node of cluster.nodes)
      await waitUntil(
        async () => (await call(node, 'POST', '/api/functions/versions')).status === 404,
        SOON_MS,
      );
  });

  test('collect the log lines and calls of all nodes', async () => {
    await asOwner(a, 'POST', '/api/functions', { slug: 'logging', code: says('a line') });
    for (let turn = 0; turn < 9; turn++)
      await call(cluster.nodes[turn % 3] ?? a, 'POST', '/api/functions/logging');
    for (const node of cluster.nodes) {
      await waitUntil(async () => {
        const { logs } = (await asOwner(node, 'GET', '/api/functions/logging/logs?limit=100')).body;
        return (
          logs.filter(({ message }: { message: string }) => message.includes('said a line')).length === 9
        );
      });
      await waitUntil(async () => {
        const { body } = await asOwner(node, 'GET', '/api/functions/logging/stats');
        return body.stats.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0) === 9;
      });
    }
  });

  test('share one database across nodes', async () => {
    const code = `export default { async fetch(request, env) {
      const row = await env.DB.prepare('insert into visits default values returning n').first();
      return Response.json(row);
    } };`;
    await asOwner(a, 'POST', '/api/functions', { slug: 'counting', code, enableDatabase: true });
    const sql = 'create table visits (n integer primary key)';
    expect((await asOwner(b, 'POST', '/api/functions/counting/database', { sql })).status).toBe(200);
    const seen: number[] = [];
    for (let turn = 0; turn < 12; turn++)
      seen.push((await call(cluster.nodes[turn % 3] ?? a, 'POST', '/api/functions/counting')).body.n);
    expect(seen).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    for (const node of cluster.nodes) {
      const count = 'select count(*) as n from visits';
      const { body } = await asOwner(node, 'POST', '/api/functions/counting/database', { sql: count });
      expect(body.results).toEqual([{ n: 12 }]);
    }
  }, 120_000);
});

describe('live events', () => {
  const numbers = (reading: Reading) =>
    reading.events
      .filter(({ name }) => name === 'message')
      .map(({ data }) => (data as { record: { data: { n: number } } }).record.data.n);

  test('reach followers at every node, and a follower continues at another node without a gap', async () => {
    const page = await publish(a, owner.token, { storage_mode: 'social_app' });
    const path = `/api/pages/${page.id}/social-data/notes`;
    const write = async (node: ClusterNode, n: number) =>
      expect((await asOwner(node, 'POST', path, { data: { n } })).status).toBe(201);
    const readings = await Promise.all(cluster.nodes.map((node) => follow(node, page.id, 'notes')));
    for (let n = 1; n <= 9; n++) await write(cluster.nodes[n % 3] ?? a, n);
    for (const reading of readings) {
      await reading.until(9);
      expect(numbers(reading).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
    const [first] = readings;
    const seen = first?.events.filter(({ name }) => name === 'message')[4];
    const known = numbers(first as Reading).slice(0, 5);
    for (const reading of readings) reading.close();
    await write(b, 10);
    const later = await follow(c, page.id, 'notes', seen?.id);
    await write(a, 11);
    await later.until(6);
    expect([...known, ...numbers(later)].sort((x, y) => x - y)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(later.events.some(({ name }) => name === 'reset')).toBeFalse();
    later.close();
  }, 120_000);
});

describe('many requests at the same time, spread over the nodes:', () => {
  test('pages with the same name get different slugs, and only one page gets a requested slug', async () => {
    const page = { name: 'Same', html_content: '<!doctype html><title>t</title><p>Hello' };
    const made = await race(cluster, RACERS, (node) => asOwner(node, 'POST', '/api/pages', page));
    expect(statuses(made)).toEqual({ 201: RACERS });
    expect(new Set(made.map(({ body }) => body.page.slug)).size).toBe(RACERS);

    const changed = await race(cluster, RACERS, (node, index) =>
      asOwner(node, 'PATCH', `/api/pages/${made[index]?.body.page.id}`, { slug: 'the-one' }),
    );
    expect(statuses(changed)).toEqual({ 200: 1, 409: RACERS - 1 });
    const winner = made[changed.findIndex(({ status }) => status === 200)]?.body.page.id;
    for (const node of cluster.nodes)
      expect((await asOwner(node, 'GET', '/api/pages/lookup?slug=the-one')).body.id).toBe(winner);
  }, 120_000);

  test('only one creates the function', async () => {
    const count = rounds(20, 200);
    const code = (index: number) => `export default { fetch: () => new Response('${index}') };`;
    const made = await race(cluster, count, (node, index) =>
      asOwner(node, 'POST', '/api/functions', { slug: 'once', code: code(index) }),
    );
    expect(statuses(made)).toEqual({ 201: 1, 409: count - 1 });
    const winner = made.findIndex(({ status }) => status === 201);
    for (const node of cluster.nodes)
      expect((await call(node, 'POST', '/api/functions/once')).body).toBe(String(winner));
  }, 240_000);

  test('of one address, ten messages reach a form', async () => {
    const page = await publish(a, owner.token);
    const path = `/api/pages/${page.id}/forms/contact`;
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const sent = await race(cluster, RACERS, (node, index) =>
      call(node, 'POST', path, { headers, body: { index } }),
    );
    expect(statuses(sent)).toEqual({ 201: 10, 429: RACERS - 10 });
    for (const node of cluster.nodes) expect((await asOwner(node, 'GET', path)).body.total).toBe(10);
    const other = { 'x-forwarded-for': '203.0.113.10' };
    expect((await call(b, 'POST', path, { headers: other, body: { index: 0 } })).status).toBe(201);
  }, 120_000);

  test('only one gets the username', async () => {
    const made = await race(cluster, ACCOUNTS, (node, index) => {
      const body = { username: 'wanted', email: `w${index}@example.com`, password: 'correct horse' };
      return call(node, 'POST', '/api/auth/register', { body, timeoutMs: 60_000 });
    });
    expect(statuses(made)).toEqual({ 201: 1, 409: ACCOUNTS - 1 });
  }, 120_000);

  test('five people accept an invite for five, although each asks five times', async () => {
    const joiners: Account[] = await Promise.all(
      Array.from({ length: ACCOUNTS }, (_, index) => register(cluster, `joiner${index}`)),
    );
    const page = await publish(cluster, owner.token, { storage_mode: 'team_app' });
    const invite = await asOwner(a, 'POST', `/api/pages/${page.id}/team/invite`, { maxUses: 5 });
    const chooseJoiner = (index: number) => joiners[index % ACCOUNTS] as Account;
    const joined = await race(cluster, 5 * ACCOUNTS, (node, index) =>
      call(node, 'POST', `/api/join/${invite.body.inviteCode}`, {
        token: chooseJoiner(index).token,
        timeoutMs: 60_000,
      }),
    );
    expect(joined.filter(({ status }) => status !== 200 && status !== 404)).toEqual([]);
    const admitted = joined.flatMap(({ status }, index) => (status === 200 ? [chooseJoiner(index).id] : []));
    const inside = [...new Set(admitted)].sort();
    expect(inside).toHaveLength(5);
    for (const node of cluster.nodes) {
      const { body } = await asOwner(node, 'GET', `/api/pages/${page.id}/team`);
      const members = body.members.map(({ user }: { user: { id: number } }) => user.id);
      expect(members.filter((id: number) => id !== owner.id).sort()).toEqual(inside);
    }
  }, 120_000);

  test('exactly as many are paid for as the balance allows', async () => {
    await register(cluster, 'spender');
    const cookie = await login(cluster, 'spender');
    const pages = await Promise.all(
      Array.from({ length: RACERS / IMAGES_PER_PAGE }, async () => {
        const { id } = await publish(cluster, owner.token, { page_api_image_gen_enabled: true });
        const consent = { pageId: id, limit: 1000 };
        const given = await call(cluster, 'POST', '/api/credits/consents', { cookie, body: consent });
        expect(given.status).toBe(200);
        return id;
      }),
    );
    const spent = await race(cluster, RACERS, (node, index) => {
      const path = `/api/pages/${pages[Math.floor(index / IMAGES_PER_PAGE)]}/page-api-image-gen`;
      return call(node, 'POST', path, { cookie, body: { prompt: `Picture ${index}` }, timeoutMs: 60_000 });
    });
    const affordable = Math.floor(CREDITS / IMAGE_CREDITS);
    expect(statuses(spent)).toEqual({ 200: affordable, 402: RACERS - affordable });
    const refused = spent.filter(({ status }) => status === 402).map(({ body }) => body);
    expect(refused.every(({ insufficient_credits }) => insufficient_credits === true)).toBeTrue();
    for (const node of cluster.nodes) {
      const { body } = await call(node, 'GET', '/api/credits', { cookie });
      expect(body.balance).toBe(CREDITS - affordable * IMAGE_CREDITS);
      const { history } = (await call(node, 'GET', '/api/credits/history?limit=100', { cookie })).body;
      const sum = history.reduce((total: number, { credits }: { credits: number }) => total + credits, 0);
      expect(sum).toBe(body.balance);
    }
  }, 120_000);
});
