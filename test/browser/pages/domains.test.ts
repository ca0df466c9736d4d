import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { expectUsable } from '../../dashboard/pages/publish.ts';
import { watchComplaints } from '../../support/browser/accessibility.ts';
import {
  closeTabs,
  currentUser,
  logIn,
  openStage,
  type Person,
  type Published,
  type Setting,
  type Stage,
} from '../../support/browser/stage.ts';
import { type DnsServer, startDns } from '../../support/pages/dns.ts';

/** Pages on domains of their own, in a browser. */

const PAGE = '<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1></html>';
/** Without a pages host, browsers see such a page in a sandbox at the base. On its domain it is like any site. */
const PLACES: Setting[] = ['origin over HTTPS', 'sandbox'];

let dns: DnsServer;
const stages = new Map<Setting, Promise<Stage>>();
function openSharedStage(setting: Setting): Promise<Stage> {
  const opening = stages.get(setting) ?? openStage(setting, { QUIRE_DNS_SERVERS: dns.address });
  stages.set(setting, opening);
  return opening;
}
beforeAll(async () => {
  dns = await startDns();
});
afterAll(async () => {
  for (const stage of stages.values()) await (await stage).close();
  await dns.stop();
});
afterEach(closeTabs);

/** Adds a domain and lets it be verified. */
async function connect(stage: Stage, owner: Person, page: Published, domain: string): Promise<void> {
  const path = `/api/pages/${page.id}/domains`;
  const { body } = await stage.call('POST', path, { token: owner.token, body: { domain } });
  dns.set(body.dns[0].name, { txt: [body.dns[0].value] });
  const verified = await stage.call('POST', `${path}/${domain}/verify`, { token: owner.token });
  expect(verified.body.status).toBe('verified');
}

/** The address of a domain: it has the scheme and port of the base. */
function toAddress(stage: Stage, domain: string): string {
  const url = new URL(stage.baseUrl);
  return `${url.protocol}//${domain}:${url.port}/`;
}

for (const setting of PLACES) {
  describe(`a domain with ${setting}`, () => {
    let stage: Stage;
    let owner: Person;
    let page: Published;
    let address: string;
    beforeAll(async () => {
      stage = await openSharedStage(setting);
      owner = await stage.register('owner');
      page = await stage.publish(owner, PAGE, { name: 'Shop', storage_mode: 'solo_app' });
      for (const domain of ['shop.customer.test', 'www.customer.test'])
        await connect(stage, owner, page, domain);
      address = toAddress(stage, 'shop.customer.test');
    });

    test('a logged-in visitor of any address of the page is logged in there, and can save data', async () => {
      const tab = await stage.enter(owner);
      await tab.goto(`${page.url}?from=base`);
      expect(tab.url()).toBe(`${address}?from=base`);
      expect(await currentUser(tab)).toMatchObject({ username: 'owner' });
      const saved = await tab.evaluate(
        "SoloData.create('notes', { text: 'hi' }).then((record) => record.data)",
      );
      expect(saved).toEqual({ text: 'hi' });
      expect(await tab.evaluate("localStorage.setItem('a', 'b'), localStorage.getItem('a')")).toBe('b');
      await tab.goto(toAddress(stage, 'www.customer.test'));
      expect(tab.url()).toBe(address);
      const cookies = await tab.context().cookies();
      const there = cookies.filter(({ name }) => name.endsWith('quire_page')).map(({ domain }) => domain);
      expect(there).toEqual(['shop.customer.test']);
    });

    // The proxy of these tests for HTTPS passes on no WebSockets.
    if (setting === 'sandbox')
      test('its visitors are in live channels', async () => {
        const tab = await stage.enter(owner);
        await tab.goto(page.url);
        expect(await tab.evaluate("PageLive.channel('room').presence().then(([person]) => person)")).toEqual({
          id: owner.id,
          username: 'owner',
        });
      });

    test('a visitor can log in from it, and comes back', async () => {
      const tab = await stage.enter();
      await tab.goto(address);
      expect(await currentUser(tab)).toBeNull();
      await tab.evaluate('void PageUser.login()');
      await tab.waitForURL((url) => url.pathname === '/login');
      expect(new URL(tab.url()).origin).toBe(stage.baseUrl);
      await logIn(tab, owner);
      await tab.waitForURL(address);
      expect(await currentUser(tab)).toMatchObject({ username: 'owner' });
    });

    test('its script cannot use the login of its visitor at the service', async () => {
      const tab = await stage.enter(owner);
      await tab.goto(page.url);
      const reach = (url: string) =>
        tab.evaluate(
          (to) =>
            fetch(to, { credentials: 'include' }).then(
              ({ status }) => status,
              () => 'refused',
            ),
          url,
        );
      expect(await reach(`${stage.baseUrl}/api/auth/me`)).toBe('refused');
      expect(await reach('/api/auth/me')).toBe(404);
      expect(await reach(`/api/pages/${page.id}`)).toBe(404);
    });
  });
}

describe('the panel', () => {
  let stage: Stage;
  let owner: Person;
  beforeAll(async () => {
    stage = await openSharedStage('origin over HTTPS');
    owner = await stage.register('panel-owner');
  });

  test('the settings of the page add, verify and remove domains', async () => {
    const shown = await stage.publish(owner, PAGE, { name: 'Panel' });
    const tab = await stage.reuse(owner);
    const complaints = watchComplaints(tab);
    await tab.goto(`${stage.baseUrl}/pages/${shown.id}/settings`);
    await tab.getByText('No domains yet. The page is at /p/panel.').waitFor();
    const field = tab.getByLabel('Domain', { exact: true });
    await field.fill('localhost');
    await tab.getByRole('button', { name: 'Add domain' }).click();
    await tab.getByText('This must not be localhost.').waitFor();
    await field.fill('Bücher.customer.test');
    await tab.getByRole('button', { name: 'Add domain' }).click();
    const item = tab.getByRole('listitem').filter({ hasText: 'xn--bcher-kva.customer.test' });
    await item.getByText('Not verified').waitFor();
    await item.getByText('bücher.customer.test').waitFor();
    await item.getByRole('button', { name: 'Verify xn--bcher-kva.customer.test' }).click();
    await item.getByText('There is no TXT record at').waitFor();
    await expectUsable(tab);

    await item.getByRole('button', { name: 'Copy txt value' }).waitFor();
    const value = await item.getByText(/^quire-verification=/).innerText();
    dns.set('_quire.xn--bcher-kva.customer.test', { txt: [value] });
    await item.getByRole('button', { name: 'Verify xn--bcher-kva.customer.test' }).click();
    await item.getByText('Verified', { exact: true }).waitFor();
    await item.getByText('Main address').waitFor();
    await item.getByRole('button', { name: 'Remove xn--bcher-kva.customer.test' }).click();
    const dialog = tab.getByRole('dialog', { name: 'Remove this domain?' });
    await dialog.getByLabel('Type remove to confirm').fill('remove');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await tab.getByText('No domains yet.').waitFor();
    // The browser logs the refused domain.
    expect(complaints).toEqual([expect.stringContaining('400')]);
  });
});
