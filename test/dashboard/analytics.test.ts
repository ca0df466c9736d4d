import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectReadable, overflow, watchComplaints } from '../support/browser/accessibility.ts';
import {
  closeTabs,
  newContext,
  type Person,
  type Published,
  type Stage,
  sharedStage,
} from '../support/browser/stage.ts';
import { waitUntil } from '../support/server.ts';
import { codeField, showAllTabs } from './pages/publish.ts';

/** The owner of a page reads how many people came, and finds an error that they had. */

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const HTML = `<!doctype html>
<title>Shop</title>
<h1>Shop</h1>
<script>
  const buy = () => missingBasket.add('<b>bread</b>');
  for (let i = 0; i < 20; i++) setTimeout(buy);
</script>`;

let stage: Stage;
let owner: Person;
let page: Published;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olga-analytics');
  page = await stage.publish(owner, HTML, { name: 'Corner shop' });
});
afterEach(closeTabs);

/** Somebody opens the page. Resolves with what their browser has reported. */
async function visit(referer?: string): Promise<Record<string, unknown>[]> {
  const context = await newContext({ userAgent: FIREFOX });
  const tab = await context.newPage();
  const reports: Record<string, unknown>[] = [];
  tab.on('request', (request) => {
    if (request.url().endsWith('/errors')) reports.push(request.postDataJSON());
  });
  const reported = tab.waitForResponse((response) => response.url().endsWith('/errors'));
  await tab.goto(`${stage.baseUrl}/p/${page.slug}?token=secret`, { ...(referer && { referer }) });
  expect((await reported).status()).toBe(204);
  return reports;
}

const findChart = (tab: Page) => tab.getByRole('slider', { name: 'Visits per day, in UTC' });

test('a visit and an error in it reach the owner, who resolves it', async () => {
  const reports = await visit('https://news.example/');
  expect(reports).toHaveLength(1);
  expect(JSON.stringify(reports)).not.toContain('token=secret');

  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  // The bar of the loaded editor replaces an earlier one, and a press on that would be lost.
  await codeField(tab).waitFor();
  await showAllTabs(tab);
  await tab.getByRole('link', { name: 'Analytics' }).click();
  await tab.getByText('Uncaught ReferenceError: missingBasket is not defined').waitFor();
  await tab.getByText('Firefox on Linux').waitFor();
  await tab.getByText('news.example').waitFor();
  const number = (name: string) =>
    tab.locator('.figures > div').filter({ hasText: name }).locator('dd').first();
  expect(await number('Visitors').textContent()).toBe('1');
  expect(await number('Views').textContent()).toBe('1');
  expect(await number('Errors in browsers').textContent()).toBe('1');

  const chart = findChart(tab);
  await chart.focus();
  await chart.press('End');
  expect(await chart.getAttribute('aria-valuetext')).toEndWith(': Views 1, Visitors 1');
  expect(await tab.locator('.chart-tip').textContent()).toContain('Visitors1');
  await chart.press('ArrowLeft');
  expect(await chart.getAttribute('aria-valuetext')).toEndWith(': Views 0, Visitors 0');
  await chart.press('Escape');
  expect(await tab.locator('.chart-tip').count()).toBe(0);
  await tab.getByRole('button', { name: 'Visitors', exact: true }).click();
  await chart.press('End');
  expect(await chart.getAttribute('aria-valuetext')).toEndWith(': Views 1');

  await tab.getByRole('button', { name: /^Resolve Uncaught ReferenceError/ }).click();
  await tab.getByText('No errors in the last 30 days.').waitFor();
  // The preview in the editor has the error too, and does not report it.
  expect(complaints.filter((text) => !text.includes('missingBasket'))).toEqual([]);
});

test('the devices of visitors and the documents of a site are counted, and shown by name', async () => {
  const site = await stage.publish(owner, '<!doctype html><title>Site</title><h1>Site</h1>', {
    name: 'Site',
  });
  const form = new FormData();
  for (const path of ['menu.html', 'about/us.html'])
    form.append(path, new File([`<!doctype html><title>${path}</title>`], path));
  const headers = { authorization: `Bearer ${owner.token}` };
  const files = `${stage.baseUrl}/api/pages/${site.id}/files`;
  expect((await fetch(files, { method: 'PUT', headers, body: form })).status).toBe(200);
  const paths = ['', 'menu.html', 'menu.html', 'about/us.html'];
  for (const [userAgent, opened] of [
    [FIREFOX, paths],
    [PHONE, ['']],
  ] as const) {
    const tab = await (await newContext({ userAgent })).newPage();
    for (const path of opened) expect((await tab.goto(site.address + path))?.status()).toBe(200);
  }
  const read = () => stage.call('GET', `/api/pages/${site.id}/analytics?range=7d`, { token: owner.token });
  await waitUntil(async () => (await read()).body.totals?.views === 5);

  const tab = await stage.reuse(owner);
  for (const viewport of [
    { width: 1280, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await tab.setViewportSize(viewport);
    await tab.goto(`${stage.baseUrl}/pages/${site.id}/analytics`);
    const list = async (name: string) => {
      const rows = tab.getByRole('region', { name, exact: true }).getByRole('listitem');
      await rows.first().waitFor();
      return rows.evaluateAll((items) =>
        items.map((item) => [item.querySelector('span')?.textContent, item.querySelector('b')?.textContent]),
      );
    };
    expect(await list('Devices')).toEqual([
      ['Computers', '4'],
      ['Phones', '1'],
    ]);
    const documents = await list('Pages of this site');
    expect(documents.slice(0, 2).toSorted()).toEqual([
      ['First page', '2'],
      ['menu.html', '2'],
    ]);
    expect(documents.slice(2)).toEqual([['about/us.html', '1']]);
    await expectReadable(tab);
    expect(await overflow(tab)).toBe(0);
  }
});

test('an error leads to its line in the editor', async () => {
  await visit();
  const tab = await stage.reuse(owner);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/analytics`);
  await tab.getByRole('link', { name: 'the page, line 5' }).click();
  await tab.locator('.cm-activeLine').getByText('missingBasket').waitFor();
});

test('can be read in light and dark, on a phone, and before anybody came', async () => {
  const quiet = await stage.publish(owner, '<title>Quiet</title>', { name: 'Quiet' });
  const none = 'No visits in this period. Share the address of this page to see visits here.';
  for (const { id } of [page, quiet]) {
    const tab = await stage.reuse(owner);
    await tab.setViewportSize({ width: 1280, height: 900 });
    await tab.goto(`${stage.baseUrl}/pages/${id}/analytics`);
    // A line along zero says nothing, so a page without visits has no chart.
    if (id === page.id) await findChart(tab).waitFor();
    else await tab.getByText(none).waitFor();
    expect(await findChart(tab).count()).toBe(id === page.id ? 1 : 0);
    await tab.getByRole('heading', { name: 'Where visitors come from' }).waitFor();
    await expectReadable(tab);
    await tab.setViewportSize({ width: 360, height: 800 });
    expect(await overflow(tab)).toBe(0);
  }
});
