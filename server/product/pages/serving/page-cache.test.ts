import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startRedis as startServer, type TestRedis } from '../../../../test/support/engines/redis.ts';
import { waitUntil } from '../../../../test/support/server.ts';
import { type Broadcast, createBroadcast } from '../../../platform/coordination/events/index.ts';
import { type Redis, startRedis } from '../../../platform/coordination/redis/index.ts';
import { createLog } from '../../../platform/http/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import { PageCache } from './page-cache.ts';
import { renderPage } from './render/render.ts';

let server: TestRedis;
let connections: Redis[];
let broadcasts: Broadcast[];
beforeAll(async () => {
  server = await startServer();
  const log = createLog('silent', { write: () => undefined });
  const connect = () => startRedis({ url: server.url, prefix: 'test:', log });
  connections = [await connect(), await connect()];
  broadcasts = connections.map(createBroadcast);
});
afterAll(async () => {
  for (const broadcast of broadcasts) await broadcast.stop();
  for (const redis of connections) redis.stop();
  await server.stop();
});

test('drops a page when another node announces a change, without asking the database', async () => {
  const [here, there] = broadcasts as [Broadcast, Broadcast];
  // Comparing with this row never finds a change, so only the message can drop the page.
  const row = { id: 1, owner_id: 1, slug: 'news', name: 'News', description: '', isolation: '{}' } as PageRow;
  const page = { ...row, html_content: '<p>news' };
  const rendered = await renderPage({ page, baseUrl: 'http://quire.test', sdkPath: '/sdk.js' });
  const cache = new PageCache({
    broadcast: here,
    render: async () => ({ row, rendered, files: undefined }),
    readRow: async () => row,
  });
  await cache.load('news');
  there.publish('page', 2);
  there.publish('page', 1);
  await waitUntil(async () => cache.status().pages === 0);
  expect(cache.byId(1)).toBeUndefined();
  expect(cache.bySlug('news')).toBeUndefined();
});
