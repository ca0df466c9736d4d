import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  closeTabs,
  openStage,
  type Person,
  type Published,
  type Setting,
  type Stage,
} from '../../support/browser/stage.ts';
import { type DnsServer, startDns } from '../../support/pages/dns.ts';

/** What functions learn about the visitors of pages that call them, in each isolation. */

const TELLER = `const who = ({ headers }) => ['user-id', 'user-name', 'team-role', 'page-id'].map((name) => headers.get('x-quire-' + name));
export default { fetch(request) {
  if (request.headers.get('upgrade') !== 'websocket')
    return Response.json({ who: who(request), url: request.url }, { headers: { 'access-control-allow-origin': '*' } });
  const [client, server] = Object.values(new WebSocketPair());
  server.accept();
  server.send(JSON.stringify({ who: who(request), url: request.url }));
  return new Response(null, { status: 101, webSocket: client });
} }`;
const SOCKET = `PageFunctions.socket('teller').then((socket) => new Promise((resolve) => {
  socket.onmessage = ({ data }) => resolve(JSON.parse(data));
  socket.onclose = ({ code }) => resolve(code);
}))`;

afterEach(closeTabs);

for (const setting of ['origin', 'sandbox', 'trusted'] satisfies Setting[]) {
  describe(`in ${setting} isolation`, () => {
    let stage: Stage;
    let dns: DnsServer;
    let owner: Person;
    let visitor: Person;
    let page: Published;
    let foreign: Published;
    beforeAll(async () => {
      dns = await startDns();
      stage = await openStage(setting, {
        QUIRE_DNS_SERVERS: dns.address,
        QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
      });
      owner = await stage.register('olga-who');
      visitor = await stage.register('vera-who');
      const body = { slug: 'teller', code: TELLER };
      expect((await stage.call('POST', '/api/functions', { token: owner.token, body })).status).toBe(201);
      page = await stage.publish(owner, '<!doctype html><title>Poll</title>');
      foreign = await stage.publish(visitor, '<!doctype html><title>Foreign</title>');
    });
    afterAll(async () => {
      await stage.close();
      await dns.stop();
    });

    const call = (tab: Page) => tab.evaluate(`PageFunctions.call('teller')`) as Promise<{ who: unknown[] }>;
    const who = (on: Published) => [String(visitor.id), 'vera-who', null, String(on.id)];

    test('call and socket tell the function of the page owner who the visitor is', async () => {
      const tab = await stage.enter(visitor);
      await tab.goto(page.url);
      expect((await call(tab)).who).toEqual(who(page));
      const seen = (await tab.evaluate(SOCKET)) as { who: unknown[]; url: string };
      expect(seen.who).toEqual(who(page));
      expect(seen.url).not.toContain('ticket');
      await tab.goto(foreign.url);
      expect((await call(tab)).who).toEqual([null, null, null, null]);
    });

    test('fetch reaches any path of the function, or says that there is no functions host', async () => {
      const tab = await stage.enter(visitor);
      await tab.goto(page.url);
      const asked = tab.evaluate(
        `PageFunctions.fetch('teller', '/a/b?c=1').then((response) => response.json(), (error) => error.code)`,
      );
      const expected = { who: who(page), url: 'http://function/a/b?c=1' };
      expect(await asked).toEqual(setting === 'sandbox' ? 'NO_FUNCTIONS_HOST' : expected);
    });

    test('a guest is nobody', async () => {
      const tab = await stage.enter();
      await tab.goto(page.url);
      const pageId = setting === 'origin' ? String(page.id) : null;
      expect((await call(tab)).who).toEqual([null, null, null, pageId]);
    });

    test('on a domain of the page it is the same', async () => {
      const domain = `${setting}.customer.test`;
      const shop = await stage.publish(owner, '<!doctype html><title>Shop</title>');
      const path = `/api/pages/${shop.id}/domains`;
      const { body } = await stage.call('POST', path, { token: owner.token, body: { domain } });
      dns.set(body.dns[0].name, { txt: [body.dns[0].value] });
      await stage.call('POST', `${path}/${domain}/verify`, { token: owner.token });
      const tab = await stage.enter(visitor);
      await tab.goto(shop.url);
      expect(new URL(tab.url()).hostname).toBe(domain);
      expect((await call(tab)).who).toEqual(who(shop));
      expect(((await tab.evaluate(SOCKET)) as { who: unknown[] }).who).toEqual(who(shop));
    });
  });
}
