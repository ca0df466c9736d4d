import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Administrator, administrator } from '../support/accounts/administrator.ts';
import type { TestApp } from '../support/app.ts';
import { type TwoNodes, twoNodes } from '../support/cluster/nodes.ts';
import { handler } from '../support/functions/app.ts';
import { waitUntil } from '../support/server.ts';

/** What an administrator does on one node is followed by the other at once. */

let nodes: TwoNodes;
let boss: Administrator;
beforeAll(async () => {
  nodes = await twoNodes();
  boss = await administrator(nodes.a, 'boss');
}, 120_000);
afterAll(() => nodes.stop());

const pageStatus = async (node: TestApp, slug: string) => (await node.request(`/p/${slug}`)).status;
const callStatus = async (node: TestApp, slug: string) =>
  (await node.call('POST', `/api/functions/${slug}`, { body: {} })).status;

test('a page and a function that are taken down on one node are gone on the other', async () => {
  const user = await nodes.a.user();
  const page = await user.publish();
  const code = handler('return new Response("hello")');
  await user.call('POST', '/api/functions', { body: { slug: 'one', code } });
  const both = async () => [await pageStatus(nodes.b, page.slug), await callStatus(nodes.b, 'one')];
  const until = (expected: number[]) => waitUntil(async () => Bun.deepEquals(await both(), expected));
  // In the memory of the other node.
  expect(await both()).toEqual([200, 200]);

  await boss.admin('POST', `/api/admin/pages/${page.id}/take-down`, { reason: 'x' });
  await boss.admin('POST', '/api/admin/functions/one/take-down', { reason: 'x' });
  await until([451, 451]);
  await boss.admin('POST', `/api/admin/pages/${page.id}/restore`);
  await boss.admin('POST', '/api/admin/functions/one/restore');
  await until([200, 200]);

  await boss.admin('POST', `/api/admin/users/${user.id}/suspend`, { reason: 'x' });
  await until([403, 403]);
  await boss.admin('POST', `/api/admin/users/${user.id}/restore`);
  await until([200, 200]);
}, 120_000);

test('a stream at the other node ends when its reader is suspended', async () => {
  const owner = await nodes.a.user();
  const reader = await nodes.a.user();
  const page = await owner.publish({ storage_mode: 'social_app' });
  const headers = { authorization: `Bearer ${reader.token}` };
  const events = await nodes.b.request(`/api/pages/${page.id}/events?collections=notes`, { headers });
  expect(events.status).toBe(200);
  const ended = events.text();
  await boss.admin('POST', `/api/admin/users/${reader.id}/suspend`, { reason: 'x' });
  await ended;
}, 60_000);
