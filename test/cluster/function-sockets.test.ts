import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestApp, TestUser } from '../support/app.ts';
import { type TwoNodes, twoNodes } from '../support/cluster/nodes.ts';
import { openSocket } from '../support/http/websocket.ts';
import { enterPage } from '../support/pages/sessions.ts';

/** WebSockets of functions, and who calls them, on several nodes. */

/** Tells who opened it. */
const code = (version: number) => `export default { fetch(request) {
  const [client, server] = Object.values(new WebSocketPair());
  server.accept();
  server.send(${version} + ':' + request.headers.get('x-quire-user-name'));
  return new Response(null, { status: 101, webSocket: client });
} }`;

let nodes: TwoNodes;
let ada: TestUser;
const servers: Bun.Server<unknown>[] = [];
beforeAll(async () => {
  nodes = await twoNodes({ QUIRE_ISOLATION: 'origin' });
  ada = await nodes.a.user('ada');
}, 120_000);
afterAll(async () => {
  for (const server of servers) await server.stop(true);
  await nodes.stop();
});

/** The port of a node. */
function listen({ app }: TestApp): number {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, self) => app.fetch(request, () => '127.0.0.1', self),
    websocket: app.webSocket,
  });
  servers.push(server as Bun.Server<unknown>);
  return server.port ?? 0;
}

test('a ticket of one node counts at another, and a deploy at one closes WebSockets at the other', async () => {
  const port = listen(nodes.b);
  const body = { slug: 'talker', code: code(1) };
  expect((await ada.call('POST', '/api/functions', { body })).status).toBe(201);
  const page = await ada.publish();
  const origin = `http://p${page.id}.pages.localhost:3000`;
  const cookie = await enterPage(nodes.a, page, await ada.login());
  const given = await nodes.a.call('POST', `${origin}/api/pages/${page.id}/call-ticket`, {
    headers: { cookie, origin },
    body: { function: 'talker' },
  });
  const url = `ws://127.0.0.1:${port}/api/functions/talker?quire_ticket=${given.body.ticket}`;
  const client = await openSocket(url);
  expect(await client.next()).toBe('1:ada');
  expect((await ada.call('PATCH', '/api/functions/talker', { body: { code: code(2) } })).status).toBe(200);
  expect((await client.end).code).toBe(1012);
  const again = await openSocket(url);
  expect(await again.next()).toBe('2:ada');
  expect((await ada.call('DELETE', '/api/functions/talker')).status).toBe(204);
  expect((await again.end).code).toBe(1001);
});

test('a node that could not hear of a deploy closes them when it can', async () => {
  const port = listen(nodes.b);
  const body = { slug: 'deaf', code: code(1) };
  expect((await ada.call('POST', '/api/functions', { body })).status).toBe(201);
  const client = await openSocket(`ws://127.0.0.1:${port}/api/functions/deaf`);
  expect(await client.next()).toBe('1:null');
  nodes.redis.freeze();
  await nodes.untilRedis('unavailable');
  expect((await ada.call('PATCH', '/api/functions/deaf', { body: { code: code(2) } })).status).toBe(200);
  nodes.redis.thaw();
  await nodes.untilRedis('there');
  expect((await client.end).code).toBe(1012);
}, 60_000);
