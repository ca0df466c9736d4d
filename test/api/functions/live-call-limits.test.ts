import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_LIVE_QUERIES } from '../../../contract/live/limits.ts';
import { MAX_CALLS, MAX_CALLS_OF_ADDRESS } from '../../../server/product/functions/live/live-calls.ts';
import type { PublishedPage } from '../../support/app.ts';
import { type FunctionApp, functionApp, handler } from '../../support/functions/app.ts';
import { type CallTab, openCalls, requestCalls } from '../../support/functions/live-calls.ts';

/** How many live calls there can be, and how large. */

let app: FunctionApp;
let page: PublishedPage;
beforeAll(async () => {
  app = await functionApp();
  page = await app.owner.publish({ name: 'Board' });
});
afterAll(() => app.quire.stop());

const tabs: CallTab[] = [];
const closeAll = () => {
  for (const tab of tabs.splice(0)) tab.close();
};
afterEach(closeAll);

async function open(calls: Parameters<typeof openCalls>[2], peer?: string, on = page): Promise<CallTab> {
  const tab = await openCalls(app.quire, on.id, calls, peer ? { peer } : {});
  tabs.push(tab);
  return tab;
}

/** A call that is different for each number. */
const toCall = (slug: string, n: number) => ({ function: slug, body: { n } });

/** Follows different calls, in as many tabs as that takes. */
async function openMany(slug: string, from: number, count: number, peer?: string, on = page): Promise<void> {
  for (let n = from; n < from + count; n += MAX_LIVE_QUERIES) {
    const length = Math.min(MAX_LIVE_QUERIES, from + count - n);
    const tab = await open(
      Array.from({ length }, (_, more) => toCall(slug, n + more)),
      peer,
      on,
    );
    await tab.until(({ results, refused }) => results.size > 0 || refused.size > 0);
    expect(tab.refused.size).toBe(0);
  }
}

/** Waits until a call is refused, and returns why. */
async function refusal(...given: Parameters<typeof open>): Promise<string | undefined> {
  const tab = await open(...given);
  await tab.until(({ results, refused }) => results.size + refused.size === 1);
  const refused = tab.refused.get('0');
  if (refused) expect(refused).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
  return refused?.error;
}

const ECHO = handler(`return Response.json((await request.json()).n)`);

describe('live calls', () => {
  test(`are ${MAX_CALLS_OF_ADDRESS} different ones from one address, and one more is refused`, async () => {
    const slug = await app.deploy(ECHO);
    await openMany(slug, 0, MAX_CALLS_OF_ADDRESS);
    const last = await open([toCall(slug, 0), toCall(slug, -1)]);
    await last.until(({ results, refused }) => results.size === 1 && refused.size === 1);
    expect(last.refused.get('1')).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    closeAll();
    // The place of a call is free when its last tab has gone.
    while (await refusal([toCall(slug, -1)])) closeAll();
  });

  test(`are ${MAX_LIVE_QUERIES} in a tab, and one more is refused with a sentence`, async () => {
    const slug = await app.deploy(ECHO);
    const calls = Array.from({ length: MAX_LIVE_QUERIES }, (_, n) => toCall(slug, n));
    const tab = await open(calls);
    await tab.until(({ results }) => results.size === MAX_LIVE_QUERIES);
    const refused = await requestCalls(app.quire, page.id, [...calls, { function: slug }]);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain(`more than ${MAX_LIVE_QUERIES} live calls`);
  });

  test(`are ${MAX_CALLS.page} different ones of a page and ${MAX_CALLS.owner} of an owner, and one more is refused`, async () => {
    const slug = await app.deploy(ECHO);
    const others = [await app.owner.publish({ name: 'Two' }), await app.owner.publish({ name: 'Three' })];
    const [second, third] = others as [PublishedPage, PublishedPage];
    const fill = async (on: PublishedPage, from: number) => {
      for (let n = from; n < from + MAX_CALLS.page; n += MAX_CALLS_OF_ADDRESS)
        await openMany(slug, n, MAX_CALLS_OF_ADDRESS, `10.7.0.${n / MAX_CALLS_OF_ADDRESS}`, on);
    };
    const tooMany = (most: number) => `There are ${most.toLocaleString('en')} different live calls at once`;
    await fill(page, 0);
    expect(await refusal([toCall(slug, -1)])).toContain(tooMany(MAX_CALLS.page));
    await fill(second, MAX_CALLS.page);
    expect(await refusal([toCall(slug, -1)], '10.7.1.1', third)).toContain(tooMany(MAX_CALLS.owner));
    // An equal call is no other, and functions of somebody else are not affected.
    expect(await refusal([toCall(slug, 0)], '10.7.1.1', third)).toBeUndefined();
    const foreign = await app.deploy(ECHO, {}, app.stranger);
    expect(await refusal([toCall(foreign, -1)], '10.7.1.1', third)).toBeUndefined();
  });

  test('run four at once for an owner, and two for one address', async () => {
    const code = `let now = 0, most = 0;
      export default { async fetch() {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setTimeout(resolve, 400));
        now--;
        return Response.json(most);
      } };`;
    const follow = async (peers: string[]) => {
      const slug = await app.deploy(code);
      const opened = peers.flatMap((peer, at) =>
        [0, 1, 2].map((n) => open([toCall(slug, 3 * at + n)], peer)),
      );
      const seen = await Promise.all(
        opened.map(async (opening) => {
          const tab = await opening;
          await tab.until(({ results }) => results.size === 1);
          return tab.results.get('0') as number;
        }),
      );
      closeAll();
      return Math.max(...seen);
    };
    expect(await follow(['10.10.0.1'])).toBe(2);
    expect(await follow(['10.10.0.1', '10.10.0.2', '10.10.0.3'])).toBe(4);
  });

  test('have large results for one address up to a quarter of what those of an owner have', async () => {
    const slug = await app.deploy(
      handler(`const { n, length } = await request.json();
        return Response.json(String(n).padEnd(length, 'x'))`),
    );
    const large = (n: number) => [{ function: slug, body: { n, length: 260_000 } }];
    // Each counts six times, so five are nearly 8 MB.
    const fill = async (peer: string, from: number) => {
      for (let n = from; n < from + 5; n++) expect(await refusal(large(n), peer)).toBeUndefined();
    };
    await fill('10.8.0.1', 0);
    expect(await refusal(large(5), '10.8.0.1')).toContain('for your address');
    // What others follow already is shown to this address too.
    await fill('10.8.0.2', 5);
    expect(await refusal(large(5), '10.8.0.1')).toBeUndefined();
    await fill('10.8.0.3', 10);
    await fill('10.8.0.4', 15);
    expect(await refusal(large(20), '10.8.0.5')).toBeUndefined();
    expect(await refusal(large(21), '10.8.0.5')).toContain('of this owner');
    const foreign = await app.deploy(ECHO, {}, app.stranger);
    expect(await refusal([toCall(foreign, 1)], '10.8.0.1')).toBeUndefined();
  });

  test('that become larger count for a reader who has room, whoever asked for them first', async () => {
    const slug = await app.deploy(
      handler(`const { sql } = await request.json();
        return Response.json((await env.DB.prepare(sql).all()).results)`),
      { enableDatabase: true, isPublic: true },
    );
    const run = async (sql: string) => expect((await app.sql(slug, { sql })).status).toBe(200);
    await run('CREATE TABLE t (text)');
    const followed = (sql: string) => [{ function: slug, body: { sql } }];
    const many = followed('SELECT text FROM t');
    const first = await open(many, '10.9.0.1');
    const other = await open(many, '10.9.0.2');
    for (const tab of [first, other]) await tab.untilShows([]);
    for (let n = 0; n < 5; n++) {
      const large = followed(`SELECT ${n} AS n, printf('%.*c', 260000, 'x') AS text`);
      expect(await refusal(large, '10.9.0.1')).toBeUndefined();
    }
    await run("INSERT INTO t VALUES (printf('%.*c', 250000, 'y'))");
    for (const tab of [first, other])
      await tab.until(({ results }) => (results.get('0') as unknown[]).length === 1);
    expect([first.refused.size, other.refused.size]).toEqual([0, 0]);
  });
});
