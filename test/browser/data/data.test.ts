import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  closeTabs,
  logIn,
  type Person,
  type Published,
  type Setting,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';

/** The data globals for an author, in each isolation. */

const BLANK = '<!doctype html><title>Blank</title><body data-page-id="{{PAGE_ID}}">';
const MODES: Setting[] = ['origin', 'sandbox'];
const GLOBALS = {
  page: undefined,
  solo_app: 'SoloData',
  team_app: 'TeamData',
  social_app: 'SocialData',
} as const;

afterEach(closeTabs);

for (const setting of MODES) {
  describe(`in ${setting} isolation`, () => {
    let stage: Stage;
    let olga: Person;
    let ben: Person;
    const pages = {} as Record<keyof typeof GLOBALS, Published>;
    beforeAll(async () => {
      stage = await sharedStage(setting);
      [olga, ben] = [await stage.register('olga-records'), await stage.register('ben-records')];
      for (const mode of Object.keys(GLOBALS) as Array<keyof typeof GLOBALS>) {
        pages[mode] = await stage.publish(olga, BLANK, { name: `In ${mode}`, storage_mode: mode });
      }
    });

    /** A tab of a user that shows the page of a mode. Resolves when its data global is ready. */
    async function open(mode: keyof typeof GLOBALS, person?: Person): Promise<Page> {
      const tab = await stage.enter(person);
      await tab.goto(pages[mode].url);
      if (GLOBALS[mode]) await tab.evaluate(`${GLOBALS[mode]}.ready`);
      return tab;
    }

    test('a page has only the globals of its mode, as the types say', async () => {
      const types = await Bun.file(join(import.meta.dir, '../../../sdk/quire.d.ts')).text();
      for (const [mode, name] of Object.entries(GLOBALS) as Array<[keyof typeof GLOBALS, string]>) {
        const tab = await open(mode);
        const found = await tab.evaluate<object>(LIST_GLOBALS);
        const names = ['PageFunctions', 'PageUser', 'PageFeatures', ...(name ? [name] : [])];
        const declared = names.map((each) => [each, { members: listMembers(types, each), isFrozen: true }]);
        expect(found).toEqual(Object.fromEntries(declared));
      }
    });

    test('a page that changes its mode gets the globals of that mode', async () => {
      const page = await stage.publish(olga, BLANK, { name: 'Moves', storage_mode: 'solo_app' });
      const tab = await stage.enter();
      await tab.goto(page.url);
      expect(Object.keys(await tab.evaluate<object>(LIST_GLOBALS))).toContain('SoloData');
      const body = { storage_mode: 'page' };
      await stage.call('PATCH', `/api/pages/${page.id}`, { token: olga.token, body });
      await tab.reload();
      expect(Object.keys(await tab.evaluate<object>(LIST_GLOBALS))).toEqual([
        'PageFunctions',
        'PageUser',
        'PageFeatures',
      ]);
    });

    test('a page asks once who its visitor is', async () => {
      const tab = await stage.enter(olga);
      let asked = 0;
      tab.on('request', (request) => {
        if (request.method() === 'GET' && request.url().endsWith('/visitor')) asked++;
      });
      const both =
        '<script>window.both = Promise.all([SoloData.ready, PageUser.ready, PageUser.current()])</script>';
      const page = await stage.publish(olga, BLANK + both, { name: 'Asks', storage_mode: 'solo_app' });
      await tab.goto(page.url);
      await tab.evaluate('both');
      expect(await tab.evaluate('SoloData.getCurrentUser()')).toEqual({
        id: olga.id,
        username: 'olga-records',
      });
      expect(await tab.evaluate('SoloData.isAuthenticated()')).toBe(true);
      expect(asked).toBe(1);
    });

    test('records can be created, found, counted, changed and deleted', async () => {
      const tab = await open('solo_app', olga);
      expect(await tab.evaluate(USE_RECORDS)).toEqual({
        created: { collection: 'notes', data: { text: 'one', rank: 1 } },
        found: ['three', 'two'],
        about: { total: 3, limit: 2, offset: 0, hasMore: true, isSelf: true, isArray: true },
        where: ['two'],
        nested: ['three'],
        count: 2,
        groups: { count: 3, groups: 2 },
        updated: { text: 'uno', rank: 1 },
        none: null,
        afterDelete: 2,
        batch: [true, true],
        afterBatch: ['four'],
      });
    });

    test('nobody sees the private records of another user', async () => {
      const mine = await open('solo_app', olga);
      const id = await mine.evaluate(`SoloData.create('diary', { text: 'secret' }).then(({ id }) => id)`);
      const other = await open('solo_app', ben);
      expect(await other.evaluate(`SoloData.find('diary')`)).toEqual([]);
      expect(await other.evaluate(`SoloData.findById('diary', '${id}')`)).toBeNull();
      expect(await catchFailure(other, `SoloData.delete('diary', '${id}')`)).toMatchObject({ status: 404 });
    });

    test('an error has the message of the service', async () => {
      const schema = { fields: { text: { type: 'string', required: true } } };
      const path = `/api/pages/${pages.solo_app.id}/solo-data/strict/schema`;
      expect((await stage.call('PUT', path, { token: olga.token, body: { schema } })).status).toBe(200);
      const tab = await open('solo_app', olga);
      expect(await catchFailure(tab, `SoloData.create('strict', { text: 5 })`)).toEqual({
        isError: true,
        status: 422,
        code: 'VALIDATION_FAILED',
        message: expect.any(String),
        details: [{ path: expect.stringContaining('text'), message: expect.any(String) }],
      });
      expect(
        await catchFailure(tab, `SoloData.find('strict', { where: { text: { like: 'x' } } })`),
      ).toMatchObject({
        status: 400,
        code: 'BAD_REQUEST',
        message: expect.stringContaining('like'),
      });
      const guest = await open('solo_app');
      expect(await guest.evaluate('SoloData.isAuthenticated()')).toBe(false);
      expect(await guest.evaluate('SoloData.getCurrentUser()')).toBeNull();
      expect(await catchFailure(guest, `SoloData.find('strict')`)).toMatchObject({ status: 401 });
      await guest.context().setOffline(true);
      expect(await catchFailure(guest, `SoloData.find('strict')`)).toMatchObject({
        status: 0,
        code: 'UNREACHABLE',
        details: [],
      });
    });

    test('public data can be read by everyone and changed by its creator', async () => {
      const [mine, other, guest] = [
        await open('social_app', olga),
        await open('social_app', ben),
        await open('social_app'),
      ];
      const id = await other.evaluate(`SocialData.create('posts', { text: 'hi' }).then(({ id }) => id)`);
      await mine.evaluate(`SocialData.create('posts', { text: 'ho' })`);
      expect(await guest.evaluate(`SocialData.count('posts')`)).toBe(2);
      expect(await guest.evaluate(`SocialData.find('posts', { where: { text: 'hi' } })`)).toMatchObject([
        { id, createdBy: { id: ben.id, username: 'ben-records' } },
      ]);
      expect(await other.evaluate(`SocialData.findMine('posts')`)).toMatchObject([{ id }]);
      expect(await catchFailure(guest, `SocialData.create('posts', { text: 'x' })`)).toMatchObject({
        status: 401,
      });
      expect(await catchFailure(mine, `SocialData.update('posts', '${id}', { text: 'x' })`)).toMatchObject({
        status: 403,
        code: 'FORBIDDEN',
      });
    });

    test('changes reach the tabs of others over one stream', async () => {
      const [watching, writing] = [await open('social_app'), await open('social_app', ben)];
      const streams: string[] = [];
      watching.on('request', (request) => {
        if (request.url().includes('/events?') && request.method() === 'GET') streams.push(request.url());
      });
      await watching.evaluate(FOLLOW('SocialData', ['waves', 'ripples']));
      await writing.evaluate(`(async () => {
        const { id } = await SocialData.create('waves', { size: 1 });
        await SocialData.update('waves', id, { size: 2 });
        await SocialData.create('ripples', { size: 3 });
        await SocialData.delete('waves', id);
      })()`);
      expect(await nextChanges(watching, 4)).toEqual(['created 1', 'updated 2', 'created 3', 'deleted']);
      expect(streams).toHaveLength(1);

      // Another collection joins. The stream starts again, and neither loses nor repeats anything.
      await watching.evaluate(FOLLOW('SocialData', ['tides']));
      await writing.evaluate(`SocialData.create('ripples', { size: 4 })`);
      await writing.evaluate(`SocialData.create('tides', { size: 5 })`);
      expect(await nextChanges(watching, 2)).toEqual(['created 4', 'created 5']);
      expect(streams).toHaveLength(2);
    });

    test('nothing is lost or repeated while subscriptions come and go', async () => {
      const [watching, writing] = [await open('social_app'), await open('social_app', ben)];
      await watching.evaluate(FOLLOW('SocialData', ['rain']));
      const raining = writing.evaluate(`(async () => {
        for (let size = 1; size <= 40; size++) await SocialData.create('rain', { size });
      })()`);
      await watching.evaluate(`(async () => {
        for (let round = 1; changes.length < 40; round++) {
          const stop = SocialData.subscribe('other' + round, () => {});
          await SocialData.find('other' + round);
          stop();
          await SocialData.find('rain', { limit: 1 });
        }
      })()`);
      await raining;
      const expected = Array.from({ length: 40 }, (_, index) => `created ${index + 1}`);
      expect(await nextChanges(watching, 40)).toEqual(expected);
    });

    test('changes during an offline period arrive when the tab is back', async () => {
      const [watching, writing] = [await open('solo_app', olga), await open('solo_app', olga)];
      await watching.evaluate(FOLLOW('SoloData', ['days']));
      await writing.evaluate(`SoloData.create('days', { size: 1 })`);
      expect(await nextChanges(watching, 1)).toEqual(['created 1']);
      await watching.context().setOffline(true);
      await writing.evaluate(`SoloData.create('days', { size: 2 })`);
      await watching.context().setOffline(false);
      expect(await nextChanges(watching, 1)).toEqual(['created 2']);
    });

    test('a refused subscription is reported once, in the console', async () => {
      const guest = await open('team_app');
      const warning = guest.waitForEvent('console', (message) => message.text().startsWith('Quire:'));
      await guest.evaluate(`void TeamData.subscribe('cards', () => {})`);
      expect((await warning).text()).toContain('cards');
      expect(await guest.evaluate('[TeamData.getRole(), TeamData.can("read")]')).toEqual([null, false]);
    });

    test('promptLogin() leads to the form and back to the same place', async () => {
      const tab = await stage.enter();
      await tab.goto(`${pages.solo_app.url}?list=a%26b#end`);
      await tab.evaluate('SoloData.promptLogin()');
      await tab.waitForURL('**/login?next=*');
      await logIn(tab, ben);
      await tab.waitForURL(`${pages.solo_app.address}?list=a%26b#end`);
      await tab.evaluate('SoloData.ready');
      expect(await tab.evaluate('SoloData.getCurrentUser()?.username')).toBe('ben-records');
    });

    test('in a frame, promptLogin() opens a window', async () => {
      const framing = await stage.publish(olga, `${BLANK}<iframe src="${pages.solo_app.url}"></iframe>`, {
        name: 'Framing',
      });
      const tab = await stage.enter();
      await tab.goto(framing.url);
      const frame = tab.frames().find((each) => each !== tab.mainFrame());
      await frame?.waitForFunction('window.SoloData');
      const opened = tab.context().waitForEvent('page');
      await frame?.evaluate('SoloData.promptLogin()');
      const popup = await opened;
      await popup.waitForURL('**/login?next=*');
      await logIn(popup, ben);
      await popup.waitForURL(pages.solo_app.address);
      await popup.evaluate('SoloData.ready');
      expect(await popup.evaluate('SoloData.getCurrentUser()?.username')).toBe('ben-records');
    });
  });
}

const LIST_GLOBALS = `Object.fromEntries(
  ['PageFunctions', 'PageUser', 'PageFeatures', 'SoloData', 'TeamData', 'SocialData']
    .filter((name) => name in window)
    .map((name) => [name, { members: Object.keys(window[name]).sort(), isFrozen: Object.isFrozen(window[name]) }]))`;

const USE_RECORDS = `(async () => {
  const texts = (records) => records.map(({ data }) => data.text);
  const { id, collection, data } = await SoloData.create('notes', { text: 'one', rank: 1 });
  await SoloData.create('notes', { text: 'two', rank: 2 });
  await SoloData.create('notes', { text: 'three', rank: 2, in: { deep: true } });
  const found = await SoloData.find('notes', { limit: 2 });
  const { total, limit, offset, hasMore } = found;
  const counted = await SoloData.count('notes', { groupBy: 'rank' });
  const updated = await SoloData.update('notes', id, { text: 'uno' });
  const two = (await SoloData.find('notes', { where: { text: 'two' } }))[0];
  const outcome = {
    created: { collection, data },
    found: texts(found),
    about: { total, limit, offset, hasMore, isSelf: found.records === found, isArray: Array.isArray(found) },
    where: texts(await SoloData.find('notes', { where: { rank: { gte: 2 } }, order: 'asc', limit: 1 })),
    nested: texts(await SoloData.find('notes', { where: { 'in.deep': true } })),
    count: await SoloData.count('notes', { where: { rank: 2 } }),
    groups: { count: counted.count, groups: counted.groups.length },
    updated: updated.data,
  };
  await SoloData.delete('notes', id);
  outcome.none = await SoloData.findById('notes', id);
  outcome.afterDelete = await SoloData.count('notes');
  const results = await SoloData.batch('notes', [
    { op: 'create', data: { text: 'four', rank: 4 } },
    { op: 'delete', id: two.id },
  ]);
  outcome.batch = results.map(({ success }) => success);
  outcome.afterBatch = texts(await SoloData.find('notes', { where: { rank: { gt: 2 } } }));
  return outcome;
})()`;

/** Starts to follow and waits until the stream is open, like a page that reads existing records. */
const FOLLOW = (global: string, collections: string[]) => `(async () => {
  window.changes ??= [];
  for (const collection of ${JSON.stringify(collections)}) {
    ${global}.subscribe(collection, ({ type, record }) => changes.push(record ? type + ' ' + record.data.size : type));
  }
  await Promise.all(${JSON.stringify(collections)}.map((collection) => ${global}.find(collection)));
})()`;

/** Waits for this many changes and removes them. There must not be more. */
async function nextChanges(tab: Page, count: number): Promise<unknown> {
  await tab.waitForFunction(`changes.length >= ${count}`);
  return tab.evaluate('changes.splice(0)');
}

function catchFailure(tab: Page, call: string): Promise<unknown> {
  return tab.evaluate(`${call}.then(() => 'did not fail', (error) => ({
    isError: error instanceof Error,
    status: error.status,
    code: error.code,
    message: error.message,
    details: error.details,
  }))`);
}

/** The names that an interface declares, including inherited ones. */
function listMembers(types: string, name: string): string[] {
  const [, base, body = ''] =
    new RegExp(`interface ${name}(?: extends (\\w+))? \\{(?:\\}|(.*?)\\n  \\})`, 's').exec(types) ?? [];
  const own = [...body.matchAll(/^ {4}(?:readonly )?(\w+)(?:<[^>]*>)?[(:]/gm)].map(([, each = '']) => each);
  return [...new Set([...own, ...(base ? listMembers(types, base) : [])])].sort();
}
