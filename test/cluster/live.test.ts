import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Cluster, startCluster } from '../support/cluster/cluster.ts';
import { LiveClient } from '../support/data/live.ts';
import { type Account, call, login, publish, register } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/** Live channels over three nodes, of which one dies, while Redis works and while it hangs. */

const PUBLISH = `export default { async fetch(request, env) {
  const { pageId, message } = await request.json();
  await env.LIVE.publish(pageId, 'room', message);
  return new Response('ok');
} };`;

let cluster: Cluster;
let owner: Account;
let pageId: number;
beforeAll(async () => {
  cluster = await startCluster();
  owner = await register(cluster.nodes[0] as Cluster['nodes'][0], 'owner');
  ({ id: pageId } = await publish(cluster.nodes[0] as Cluster['nodes'][0], owner.token, { name: 'Live' }));
}, 180_000);
afterAll(() => cluster?.stop());

const node = (index: number) => cluster.nodes[index] as Cluster['nodes'][0];
const enter = async (index: number) => {
  const client = await LiveClient.open(`localhost:${node(index).port}`, pageId);
  await client.join('room');
  return client;
};

test('visitors of all nodes are in one channel, also while Redis hangs and when a node dies', async () => {
  const [ada, bob, eve] = [await enter(0), await enter(1), await enter(2)];
  const all = [ada, bob, eve].map(({ you }) => you.id);
  for (const client of [ada, bob, eve]) await client.sees('room', all);
  await ada.say('room', 'to all');
  expect((await bob.hear()).message).toBe('to all');
  expect(await eve.hear()).toMatchObject({ message: 'to all', from: ada.you });

  // A function at a node, for a page that others have open.
  const code = { slug: 'publish', code: PUBLISH };
  expect((await call(node(1), 'POST', '/api/functions', { token: owner.token, body: code })).status).toBe(
    201,
  );
  const body = { pageId, message: 'from a function' };
  expect((await call(node(1), 'POST', '/api/functions/publish', { body })).status).toBe(200);
  for (const client of [ada, bob, eve])
    expect(await client.next(({ type, tab }) => type === 'message' && !tab)).toMatchObject({ from: null });

  // Visitors of the same node go on without Redis.
  const near = await enter(0);
  for (const client of [ada, bob, near]) await client.sees('room', [...all, near.you.id]);
  cluster.redis.freeze();
  await ada.say('room', 'near');
  expect((await near.hear()).message).toBe('near');
  cluster.redis.thaw();
  await waitUntil(async () => {
    await ada.say('room', 'again');
    await Bun.sleep(100);
    return bob.events.some(({ message }) => message === 'again');
  });

  // A node that dies does not say goodbye.
  await node(2).kill();
  expect(await eve.closed).toBe(1006);
  const left = [ada, bob, near].map(({ you }) => you.id);
  await ada.sees('room', left);
  await bob.sees('room', left);

  // A node that stops does, and its tabs go to another.
  await node(1).stop();
  expect(await bob.closed).toBe(1001);
  await ada.sees('room', [ada.you.id, near.you.id]);
}, 120_000);

test('a page that is closed at one node is closed at all', async () => {
  const { id } = await publish(node(0), owner.token, { name: 'Closing' });
  await node(1).start();
  const tab = await LiveClient.open(`localhost:${node(1).port}`, id);
  await tab.join('room');
  const body = { access: { mode: 'private' } };
  await call(node(0), 'PATCH', `/api/pages/${id}`, { token: owner.token, body });
  expect(await tab.closed).toBe(4403);
}, 120_000);

test('a login that ends at one node ends the connections of that login at all', async () => {
  const { id } = await publish(node(0), owner.token, { name: 'Logins' });
  const [ended, kept] = [await login(node(0), 'owner'), await login(node(0), 'owner')];
  const connect = (cookie: string) => LiveClient.open(`localhost:${node(1).port}`, id, { cookie });
  const [out, stays] = [await connect(ended), await connect(kept)];
  expect(out.you.username).toBe('owner');
  await call(node(0), 'POST', '/api/auth/logout', { cookie: ended });
  expect(await out.closed).toBe(4401);
  expect((await stays.join('room')).type).toBe('joined');
  stays.close();
  // Sooner than a node looks by itself whether logins have ended.
}, 40_000);
