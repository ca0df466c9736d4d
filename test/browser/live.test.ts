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

/** `PageLive` for an author, in each isolation: two browsers that have the same page open. */

const ROOM = `<!doctype html><title>Room</title><script>
  window.heard = [];
  window.room = PageLive.channel('room');
  room.on((message, from) => heard.push({ message, from }));
  room.presence((people) => { window.here = people.map(({ username }) => username); });
</script>`;

afterEach(closeTabs);

/** Waits until an expression in the page is true. */
const until = (tab: Page, expression: string) => tab.waitForFunction(expression, undefined, { polling: 50 });

async function open(stage: Stage, address: string, person?: Person): Promise<Page> {
  const tab = await stage.enter(person);
  await tab.goto(address);
  await until(tab, 'window.here !== undefined');
  return tab;
}

/** A visitor who is logged in and a guest, in the same channel. */
async function meet(stage: Stage, address: string, person: Person): Promise<void> {
  const ada = await open(stage, address, person);
  const guest = await open(stage, address);
  await until(ada, 'here.length === 2');
  expect(await ada.evaluate<string[]>('here')).toContain(person.username);
  expect(await guest.evaluate('room.presence().then((people) => [people.length, people.count])')).toEqual([
    2, 2,
  ]);
  await ada.evaluate('room.send({ x: 1 })');
  await guest.evaluate('room.send("hi")');
  await until(guest, 'heard.length === 1');
  await until(ada, 'heard.length === 1');
  const { id, username } = person;
  expect(await guest.evaluate<object>('heard[0]')).toEqual({ message: { x: 1 }, from: { id, username } });
  const [{ message, from }] = await ada.evaluate<[{ message: unknown; from: { username: null } }]>('heard');
  expect([message, from.username]).toEqual(['hi', null]);
  await guest.close();
  await until(ada, 'here.length === 1');
}

for (const setting of ['origin', 'sandbox', 'trusted'] satisfies Setting[]) {
  describe(`in ${setting} isolation`, () => {
    let stage: Stage;
    let olga: Person;
    let page: Published;
    beforeAll(async () => {
      stage = await sharedStage(setting);
      olga = await stage.register('olga-live');
      page = await stage.publish(olga, ROOM, { name: `Live in ${setting}` });
    });

    test('visitors hear and see each other', () => meet(stage, page.url, olga));

    test('a page that is closed while it is open is left, and a page for people lets them in', async () => {
      const closed = await stage.publish(olga, ROOM, { name: `Closing in ${setting}` });
      const [owner, guest] = [await open(stage, closed.url, olga), await open(stage, closed.url)];
      await until(owner, 'here.length === 2');
      const body = { access: { mode: 'private' } };
      await stage.call('PATCH', `/api/pages/${closed.id}`, { token: olga.token, body });
      await until(owner, 'here.length === 1');
      await owner.evaluate('room.send("secret")');
      const refused = await guest.evaluate('room.presence().then(() => "in", (error) => error.code)');
      expect(refused).toBe('FORBIDDEN');
      expect(await guest.evaluate<unknown[]>('heard')).toEqual([]);
      // The session of the page, or its cookie, lets the owner in again.
      const again = await open(stage, closed.url, olga);
      expect(await again.evaluate<string[]>('here')).toEqual(['olga-live']);
    });

    test('after a logout the tab goes on as a guest', async () => {
      const ada = await open(stage, page.url, await stage.register('ada-live'));
      const olgas = await open(stage, page.url, olga);
      await until(olgas, 'here.includes("ada-live")');
      const cookies = await ada.context().cookies(stage.baseUrl);
      const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
      await stage.call('POST', '/api/auth/logout', { cookie });
      await until(olgas, 'here.includes(null) && !here.includes("ada-live")');
      await ada.evaluate('room.presence()');
      await ada.evaluate('room.send("still here")');
      await until(olgas, 'heard.length === 1 && heard[0].from.username === null');
    });

    test('what cannot be sent is refused before it is sent', async () => {
      const tab = await open(stage, page.url);
      const readCode = (call: string) =>
        tab.evaluate(`${call}.then(() => 'done', (error) => error.code ?? error.name)`);
      expect(await readCode('room.send("x".repeat(4094))')).toBe('done');
      expect(await readCode('room.send("x".repeat(4095))')).toBe('PAYLOAD_TOO_LARGE');
      expect(await readCode('room.send(undefined)')).toBe('BAD_REQUEST');
      expect(await readCode('PageLive.channel("a b").presence()')).toBe('TypeError');
      expect(await readCode('Promise.all(Array.from({ length: 80 }, () => room.send(1)))')).toBe(
        'RATE_LIMITED',
      );
      expect(await tab.evaluate('room.leave().then(() => room.send(1)).catch((error) => error.code)')).toBe(
        'LEFT',
      );
    });
  });
}
