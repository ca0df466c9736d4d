import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestUser } from '../../support/app.ts';
import { type LiveApp, type LiveClient, liveApp } from '../../support/data/live.ts';
import { readMetrics } from '../../support/http/metrics.ts';

/** What live channels cost a node, and what it reports about them. */

const MAX_CHANNELS = 1_000;
const CHANNELS_OF_TAB = 16;

let app: LiveApp;
let owner: TestUser;
beforeAll(async () => {
  app = await liveApp({ QUIRE_METRICS_ALLOW: '127.0.0.1' });
  owner = await app.user('owner');
});
afterAll(() => app.stop());

async function scrape(): Promise<(name: string) => number> {
  const figures = readMetrics(await (await app.request('/metrics', { peer: '127.0.0.1' })).text());
  return (name) => figures.get(name) ?? Number.NaN;
}

test('the metrics count tabs, channels, messages and deliveries', async () => {
  const { id } = await owner.publish();
  const before = await scrape();
  const tabs = [await app.connect(id), await app.connect(id), await app.connect(id)];
  for (const tab of tabs) await tab.join('room');
  const ids = tabs.map(({ you }) => you.id);
  for (const tab of tabs) await tab.sees('room', ids);
  await tabs[0]?.join('other');
  const joined = await scrape();
  expect(joined('quire_sockets{kind="live"}')).toBe(3);
  expect(joined('quire_live_channels')).toBe(2);
  await tabs[0]?.say('room', 1);
  for (const tab of tabs.slice(1)) await tab.hear();
  const after = await scrape();
  expect(after('quire_live_messages_total') - before('quire_live_messages_total')).toBe(1);
  // The presence of the other channel may be among them.
  const delivered = after('quire_live_deliveries_total') - joined('quire_live_deliveries_total');
  expect([3, 4]).toContain(delivered);
  for (const tab of tabs) tab.close();
  for (const tab of tabs) await tab.closed;
  while ((await scrape())('quire_live_channels') > 0) await Bun.sleep(10);
  expect((await scrape())('quire_live_deliveries_total')).toBeGreaterThanOrEqual(
    after('quire_live_deliveries_total'),
  );
});

test('a page has a thousand channels at most, and one that empties makes room', async () => {
  const { id } = await owner.publish();
  const tabs: LiveClient[] = [];
  for (let n = 0; n < Math.ceil((MAX_CHANNELS + 1) / CHANNELS_OF_TAB); n++) tabs.push(await app.connect(id));
  const joinAll = (tab: LiveClient, first: number, count: number) =>
    Promise.all(Array.from({ length: count }, (_, at) => tab.join(`c${first + at}`)));
  const last = tabs.pop() as LiveClient;
  const full = tabs.length * CHANNELS_OF_TAB;
  const answers = await Promise.all(tabs.map((tab, n) => joinAll(tab, n * CHANNELS_OF_TAB, CHANNELS_OF_TAB)));
  answers.push(await joinAll(last, full, MAX_CHANNELS - full));
  expect(answers.flat().filter(({ type }) => type === 'joined')).toHaveLength(MAX_CHANNELS);
  expect(await last.join('one-more')).toMatchObject({ type: 'refused', code: 'QUOTA_EXCEEDED' });
  // Others are not affected: a channel in use, and another page.
  expect((await last.join('c0')).type).toBe('joined');
  const elsewhere = await app.connect((await owner.publish()).id);
  expect((await elsewhere.join('one-more')).type).toBe('joined');
  tabs[0]?.send(JSON.stringify({ type: 'leave', ref: 1000, channel: 'c1' }));
  expect((await tabs[0]?.join('one-more'))?.type).toBe('joined');
  for (const tab of [...tabs, last, elsewhere]) tab.close();
});
