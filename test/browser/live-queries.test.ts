import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { MAX_LIVE_QUERIES } from '../../contract/live/limits.ts';
import {
  closeTabs,
  type Person,
  type Published,
  type Setting,
  type Stage,
  sharedStage,
} from '../support/browser/stage.ts';
import { waitUntil } from '../support/server.ts';

/** Lists and calls that follow the data, in two tabs, in each isolation. */

const MODES: Setting[] = ['origin', 'sandbox', 'trusted'];
const PAGE = '<!doctype html><title>Live</title><body data-page-id="{{PAGE_ID}}">';
const VOTES = `export default { async fetch(request, env) {
  const { vote } = await request.json();
  await env.DB.exec('CREATE TABLE IF NOT EXISTS votes (choice TEXT)');
  if (vote) await env.DB.prepare('INSERT INTO votes VALUES (?)').bind(vote).run();
  const sql = 'SELECT choice, count(*) AS n FROM votes GROUP BY choice ORDER BY choice';
  return Response.json((await env.DB.prepare(sql).all()).results);
} }`;

afterEach(closeTabs);

for (const setting of MODES) {
  describe(`in ${setting} isolation`, () => {
    let stage: Stage;
    let olga: Person;
    let page: Published;
    beforeAll(async () => {
      stage = await sharedStage(setting);
      olga = await stage.register('olga-queries');
      page = await stage.publish(olga, PAGE, { name: 'Live board', storage_mode: 'social_app' });
      const body = { slug: 'live-votes', code: VOTES, enableDatabase: true };
      const deployed = await stage.call('POST', '/api/functions', { token: olga.token, body });
      expect(deployed.status).toBe(201);
    });

    async function open(person?: Person): Promise<Page> {
      const tab = await stage.enter(person);
      await tab.goto(page.url);
      await tab.evaluate('window.shown = [], window.ended = []');
      return tab;
    }

    test('a list shows what another tab has done, in order, and stops when it is told', async () => {
      const [watching, writing] = [await open(), await open(olga)];
      await watching.evaluate(`window.stop = SocialData.live('notes', { orderBy: 'data.n', order: 'asc' },
        (notes) => shown.push(notes.map(({ data }) => data.n).join() + ' of ' + notes.total))`);
      await watching.waitForFunction(`shown.at(-1) === ' of 0'`);
      await writing.evaluate(`SocialData.create('notes', { n: 2 })`);
      await watching.waitForFunction(`shown.at(-1) === '2 of 1'`);
      await writing.evaluate(`SocialData.create('notes', { n: 1 }).then(({ id }) => { window.id = id })`);
      await watching.waitForFunction(`shown.at(-1) === '1,2 of 2'`);
      await writing.evaluate(`SocialData.update('notes', id, { n: 3 })`);
      await watching.waitForFunction(`shown.at(-1) === '2,3 of 2'`);
      await writing.evaluate(`SocialData.delete('notes', id)`);
      await watching.waitForFunction(`shown.at(-1) === '2 of 1'`);
      const count = await watching.evaluate('stop(), shown.length');
      await writing.evaluate(
        `window.end = SocialData.live('notes', {}, (notes) => shown.push(notes.length))`,
      );
      await writing.evaluate(`SocialData.create('notes', { n: 4 })`);
      await writing.waitForFunction('shown.at(-1) === 2');
      expect(await watching.evaluate('shown.length')).toBe(count);
    });

    test('a call shows what a call of another tab and the owner have written', async () => {
      const [watching, writing] = [await open(), await open(olga)];
      for (const tab of [watching, writing])
        await tab.evaluate(`window.stop = PageFunctions.live('live-votes', {},
          (rows) => shown.push(rows.map(({ choice, n }) => choice + n).join()))`);
      await watching.waitForFunction(`shown.at(-1) === ''`);
      await writing.waitForFunction(`shown.at(-1) === ''`);
      await writing.evaluate(`PageFunctions.call('live-votes', { vote: 'tea' })`);
      for (const tab of [watching, writing]) await tab.waitForFunction(`shown.at(-1) === 'tea1'`);
      const written = await stage.call('POST', '/api/functions/live-votes/database', {
        token: olga.token,
        body: { sql: "INSERT INTO votes VALUES ('coffee'), ('tea')" },
      });
      expect(written.status).toBe(200);
      for (const tab of [watching, writing]) await tab.waitForFunction(`shown.at(-1) === 'coffee1,tea2'`);
    });

    test('one query more than a tab can have ends with an error, until another one ends', async () => {
      const tab = await open();
      await tab.evaluate(`window.follow = (n) => SocialData.live('many', { where: { n } }, () => shown.push(n),
        ({ code, message }) => ended.push(code + ' ' + message))`);
      await tab.evaluate(`window.stops = Array.from({ length: ${MAX_LIVE_QUERIES} }, (_, n) => follow(n))`);
      await tab.waitForFunction(`shown.length === ${MAX_LIVE_QUERIES}`);
      // An equal one is followed with the other.
      await tab.evaluate('window.again = follow(0)');
      await tab.waitForFunction(`shown.length === ${MAX_LIVE_QUERIES + 1}`);
      await tab.evaluate(`follow('more')`);
      await tab.waitForFunction('ended.length === 1');
      expect(await tab.evaluate('ended[0]')).toStartWith(
        `TOO_MANY_LIVE_QUERIES A tab can have ${MAX_LIVE_QUERIES} live queries`,
      );
      await tab.evaluate(`stops[1](), follow('more')`);
      await tab.waitForFunction(`shown.at(-1) === 'more'`);
      expect(await tab.evaluate('ended.length')).toBe(1);
    });

    test('a search finds words, marks them, and is counted and followed', async () => {
      const path = `/api/pages/${page.id}/social-data/soups/schema`;
      const schema = { fields: { title: { type: 'string' } }, search: ['title'] };
      const { token } = olga;
      expect((await stage.call('PUT', path, { token, body: { schema } })).status).toBe(200);
      const isReady = async () => (await stage.call('GET', path, { token })).body.search?.state === 'ready';
      await waitUntil(isReady);
      const tab = await open(olga);
      await tab.evaluate(`SocialData.create('soups', { title: 'Tomato soup' })
        .then(() => SocialData.create('soups', { title: 'Apple pie' }))`);
      expect(
        await tab.evaluate(`SocialData.find('soups', { search: 'TOMA' })
          .then((found) => found.map(({ data, marks }) => [data.title, JSON.stringify(marks)]))`),
      ).toEqual([['Tomato soup', expect.stringContaining('Tomato')]]);
      expect(await tab.evaluate(`SocialData.count('soups', { search: 'soup' })`)).toBe(1);
      await tab.evaluate(`SocialData.live('soups', { search: 'soup' }, (soups) => shown.push(soups.length))`);
      await tab.waitForFunction('shown.at(-1) === 1');
      await tab.evaluate(`SocialData.create('soups', { title: 'Onion soup' })`);
      await tab.waitForFunction('shown.at(-1) === 2');
    });

    test('a call that nobody can follow says why', async () => {
      const tab = await open();
      await tab.evaluate(`PageFunctions.live('live-nothing', {}, (result) => shown.push(result),
        ({ status, code, message }) => ended.push(status + ' ' + code + ' ' + message))`);
      await tab.waitForFunction('ended.length === 1');
      expect(await tab.evaluate('ended[0]')).toContain('404 NOT_FOUND');
      expect(await tab.evaluate('shown')).toEqual([]);
    });
  });
}
