import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  closeTabs,
  type Person,
  type Published,
  type Setting,
  type Stage,
  sharedStage,
} from '../support/browser/stage.ts';

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
