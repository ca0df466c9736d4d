import { afterEach, beforeAll, expect, test } from 'bun:test';
import { watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, newContext, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { codeField, expectUsable, write } from './publish.ts';

/** The moment after Publish: the live page, its address, and the first visitor. */

const HTML =
  '<!doctype html>\n<title>T</title>\n<meta name="description" content="d">\n<h1>Wedding</h1>\n<form><input aria-label="x"></form>\n';

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('sharer');
});
afterEach(closeTabs);

const fetchPage = async (id: number) =>
  (await stage.call('GET', `/api/pages/${id}`, { token: owner.token })).body.page;

test('shows the live page with its address, and says when the first visitor comes, who is not the owner', async () => {
  const page = await stage.publish(owner, HTML, { name: 'Our <b>wedding</b>', description: 'When & where' });
  const tab = await stage.enter(owner);
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/settings`);
  await tab.getByRole('link', { name: 'Share' }).click();
  await tab.getByRole('heading', { name: 'Your page is live' }).waitFor();
  await tab.frameLocator('.share-page iframe').getByRole('heading', { name: 'Wedding' }).waitFor();
  const address = tab.getByLabel('The address of the page');
  expect(await address.inputValue()).toBe(page.url.replace('http://', ''));
  const card = tab.locator('.share-card');
  expect(await card.locator('strong').innerText()).toBe('Our <b>wedding</b>');
  expect(await card.locator('p').innerText()).toBe('When & where');
  expect(await tab.locator('.share-next li').allInnerTexts()).toEqual([
    'Read what visitors send',
    'Put your own words in',
    'See how many come, and from where',
  ]);
  await expectUsable(tab);

  // The frame and another tab of the owner are not visitors.
  const own = await tab.context().newPage();
  await own.goto(page.url);
  await own.getByRole('heading', { name: 'Wedding' }).waitFor();
  await tab.waitForResponse((response) => response.url().endsWith('/analytics/visitors'));
  expect(await tab.locator('.share-visitor').innerText()).toBe('Waiting for your first visitor…');
  const stranger = await newContext({ userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Firefox/145.0' });
  await (await stranger.newPage()).goto(page.url);
  await tab.getByText('Somebody is here!').waitFor();
  await stranger.close();

  const png = tab.waitForEvent('download');
  await tab.getByRole('button', { name: 'Download the QR code as PNG' }).click();
  expect((await png).suggestedFilename()).toBe(`${page.slug}.png`);
  const svg = tab.waitForEvent('download');
  await tab.getByRole('button', { name: 'Download the QR code as SVG' }).click();
  expect((await svg).suggestedFilename()).toBe(`${page.slug}.svg`);
  expect(complaints).toEqual([]);
});

test.each([
  [
    'en',
    'What next?',
    ['Put up a note of your own.', 'Open it with somebody, and watch the cursors.', 'Remove the samples.'],
  ],
  [
    'de',
    'Und jetzt?',
    [
      'Häng eine eigene Notiz auf.',
      'Öffne es mit jemandem und sieh den Mauszeigern zu.',
      'Entferne die Beispiele.',
    ],
  ],
])(
  'says the three next steps of its template, and then the first one of its own (%s)',
  async (locale, title, steps) => {
    const page = await stage.publish(owner, HTML);
    const context = await newContext({ locale });
    await context.addCookies(await (await stage.reuse(owner)).context().cookies());
    const tab = await context.newPage();
    await tab.goto(`${stage.baseUrl}/pages/${page.id}/share?template=board`);
    const next = tab.getByRole('region', { name: title });
    await next.locator('ol li').first().waitFor();
    expect(await next.locator('ol li').allInnerTexts()).toEqual(steps);
    expect(await next.locator('ul li').count()).toBe(1);
    await expectUsable(tab);
    // What a link can say: a template that does not exist has no steps, and the page still has its own.
    await tab.goto(`${stage.baseUrl}/pages/${page.id}/share?template=nothing`);
    await next.locator('ul li').nth(2).waitFor();
    expect(await next.locator('ol').count()).toBe(0);
  },
);

test('copies the address, and selects it if the browser refuses', async () => {
  const page = await stage.publish(owner, HTML);
  const tab = await stage.enter(owner);
  await tab.addInitScript(
    `Object.defineProperty(navigator, 'clipboard', { value: { async writeText(text) { if (window.refuses) throw new Error('denied'); window.copied = text; } } });`,
  );
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/share`);
  await tab.locator('.share-actions').getByRole('button', { name: 'Copy' }).click();
  await tab.getByText('Address copied.').waitFor();
  expect(await tab.evaluate<string>('copied')).toBe(page.url);
  await tab.evaluate('refuses = true');
  await tab.locator('.share-actions').getByRole('button', { name: 'Copied' }).click();
  await tab.getByText('The address is selected: copy it yourself.').waitFor();
  expect(await tab.evaluate<string>('getSelection().toString()')).toBe(page.url.replace('http://', ''));
});

test('on a phone the page comes first, and a bar has its address and what to do with it', async () => {
  const page = await stage.publish(owner, HTML);
  const tab = await stage.enter(owner);
  await tab.setViewportSize({ width: 390, height: 844 });
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/share`);
  await tab.frameLocator('.share-page iframe').getByRole('heading', { name: 'Wedding' }).waitFor();
  expect(await tab.locator('.share-qr').isVisible()).toBe(false);
  await tab.getByRole('button', { name: 'Copy' }).waitFor();
  expect(await tab.getByRole('link', { name: 'Open it' }).getAttribute('href')).toBe(page.url);
  await tab.getByRole('button', { name: 'Show more' }).click();
  await tab.locator('.share-qr').waitFor();
  await expectUsable(tab);
});

test('a page that is published without a connection is published once, when there is one again', async () => {
  const page = await stage.publish(owner, HTML, { is_published: false });
  const tab = await stage.enter(owner);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  await codeField(tab).waitFor();
  await write(tab, HTML.replace('Wedding', 'Birthday'));
  // What was sent arrives, and no response comes back.
  await tab.route(`**/api/pages/${page.id}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    await route.fetch();
    await route.abort('internetdisconnected');
  });
  await tab.getByRole('button', { name: 'Publish', exact: true }).click();
  await tab.getByText('Offline · publishes when you are back').waitFor();
  await tab.unroute(`**/api/pages/${page.id}`);
  await tab.evaluate("dispatchEvent(new Event('online'))");
  await tab.getByRole('heading', { name: 'Your page is live' }).waitFor();
  await tab.frameLocator('.share-page iframe').getByRole('heading', { name: 'Birthday' }).waitFor();
  expect(await fetchPage(page.id)).toMatchObject({ is_published: true });
  const { body } = await stage.call('GET', `/api/pages/${page.id}/versions`, { token: owner.token });
  expect(body.versions).toHaveLength(2);
});

test('a draft has nothing to share, and the screen says what to do', async () => {
  const page = await stage.publish(owner, HTML, { is_published: false });
  const tab = await stage.reuse(owner);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/share`);
  await tab.getByText('Publish it, then share its address.').waitFor();
  expect(await tab.getByRole('link', { name: 'Share' }).count()).toBe(0);
  await expectUsable(tab);
});
