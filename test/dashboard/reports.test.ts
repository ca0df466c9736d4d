import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { loadSharp } from '../../server/platform/pictures/index.ts';
import { watchComplaints } from '../support/browser/accessibility.ts';
import { closeTabs, openStage, type Person, type Published, type Stage } from '../support/browser/stage.ts';
import { runSql } from '../support/engines/storage.ts';
import { waitUntil } from '../support/server.ts';
import { expectUsable } from './pages/publish.ts';

/** A page is reported, from the visitor to the decision. */

const CONTACT = 'vera@example.com';
/** What would run if any screen showed it as HTML. */
const attack = (who: string) =>
  `${who} says: <img src="x" onerror="globalThis.hit = 1"><script>globalThis.hit = 2</script>`;
const RED = [255, 0, 0];

let stage: Stage;
let boss: Person;
let owner: Person;
beforeAll(async () => {
  stage = await openStage('origin', { QUIRE_PAGE_PICTURES: 'on' });
  boss = await stage.register('boss-reports');
  owner = await stage.register('owner-reports');
  const storage = { dataFolder: stage.dataFolder, databaseUrl: undefined };
  await runSql(storage, "update users set is_admin = 1 where username = 'boss-reports'");
}, 120_000);
afterEach(closeTabs);
afterAll(() => stage.close());

/** Publishes a page that the gallery shows. */
async function publish(name: string): Promise<Published> {
  const html = `<!doctype html><html lang="en"><title>${name}</title><body style="background:#f00">`;
  const page = await stage.publish(owner, html, { name });
  const body = { is_listed: true };
  const listed = await stage.call('PATCH', `/api/pages/${page.id}`, { token: owner.token, body });
  expect(listed.status).toBe(200);
  return page;
}

/** Reports a page as a visitor does, from the gallery. */
async function report(page: Published, name: string, text: string): Promise<void> {
  const tab = await stage.enter();
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}/gallery?q=${encodeURIComponent(name)}`);
  await tab.getByRole('link', { name: `Report ${name}` }).click();
  await tab.getByRole('heading', { name: 'Report a page' }).waitFor();
  expect(await tab.getByLabel('Address of the page').inputValue()).toBe(page.url);
  await expectUsable(tab);
  await tab.getByText('Scam or phishing').click();
  await tab.getByLabel('Tell us more').fill(text);
  await tab.getByLabel('How to reach you').fill(CONTACT);
  await tab.getByRole('button', { name: 'Send the report' }).click();
  await tab.getByRole('heading', { name: 'Thank you' }).waitFor();
  expect(complaints).toEqual([]);
}

async function open(person: Person, path: string): Promise<Page> {
  const tab = await stage.enter(person);
  await tab.goto(stage.baseUrl + path);
  return tab;
}

/** A text is on the screen, character by character, and nothing in it has run. */
async function expectText(tab: Page, text: string): Promise<void> {
  await tab.getByText(text, { exact: true }).waitFor();
  expect(await tab.locator('.report-text :is(img, script)').count()).toBe(0);
  expect(await tab.evaluate('globalThis.hit')).toBeUndefined();
}

const item = (tab: Page, name: string) =>
  tab.getByRole('listitem').filter({ has: tab.getByRole('heading', { name, exact: true }) });
const dialog = (tab: Page) => tab.getByRole('dialog');
const visit = async (page: Published) => (await (await stage.enter()).goto(page.url))?.status();

async function findReport(page: Published) {
  const { reports } = (await stage.call('GET', `/api/pages/${page.id}/reports`, { token: owner.token })).body;
  return reports[0];
}

/** The color of a picture, which the service has taken with its own browser. */
async function readColor(path: string): Promise<number[]> {
  const response = await fetch(stage.baseUrl + path);
  expect(response.headers.get('content-type')).toBe('image/webp');
  const sharp = await loadSharp();
  return [
    ...(await sharp(await response.bytes())
      .resize(1, 1)
      .removeAlpha()
      .raw()
      .toBuffer()),
  ];
}

test('a visitor reports a page, its owner answers, and an administrator sees a picture and takes it down', async () => {
  const page = await publish('A fake bank');
  await report(page, 'A fake bank', attack('The visitor'));

  const tab = await open(boss, '/');
  await tab.getByText('One report of visitors to decide').waitFor();
  const group = item(tab, 'A fake bank');
  const picture = group.getByRole('img', { name: 'The page A fake bank when it was reported' });
  // The picture is taken in the background, with a browser of its own.
  await waitUntil(async () => {
    await tab.goto(`${stage.baseUrl}/admin/reports`);
    await group.waitFor();
    return (await picture.count()) > 0;
  });
  const image = "document.querySelector('.report-picture img')";
  const size = await tab.evaluate(
    `${image}.decode().then(() => [${image}.naturalWidth, ${image}.naturalHeight])`,
  );
  expect(size).toEqual([1200, 750]);
  const color = await readColor((await picture.getAttribute('src')) ?? '');
  for (const [index, part] of color.entries()) expect(Math.abs(part - (RED[index] ?? 0))).toBeLessThan(12);
  await expectText(tab, attack('The visitor'));
  await group.getByText(`Reporter: ${CONTACT}`).waitFor();
  await expectUsable(tab);

  const own = await open(owner, '/');
  await own.getByText('A visitor has reported this page', { exact: true }).waitFor();
  await own.goto(`${stage.baseUrl}/pages/${page.id}/settings`);
  await own.getByText('A visitor has reported this page to the administrators of this server.').waitFor();
  await own.getByRole('link', { name: 'Answer', exact: true }).click();
  await expectText(own, attack('The visitor'));
  expect(await own.content()).not.toContain(CONTACT);
  await own.getByRole('button', { name: 'Answer', exact: true }).click();
  await own.getByLabel('Your answer').fill(attack('The owner'));
  await own.getByRole('button', { name: 'Send the answer' }).click();
  await own.getByText('Your answer was sent.').waitFor();
  await expectText(own, attack('The owner'));
  await expectUsable(own);

  await tab.reload();
  await expectText(tab, attack('The owner'));
  await tab.getByRole('button', { name: `Take down /p/${page.slug}` }).click();
  await dialog(tab).getByLabel('Reason').fill('It copies a bank.');
  await dialog(tab).getByRole('button', { name: 'Take it down' }).click();
  await tab.getByText(`/p/${page.slug} is taken down.`).waitFor();
  await tab.getByRole('heading', { name: 'No reports' }).waitFor();
  expect(await visit(page)).toBe(451);
  await tab.getByLabel('State').selectOption('Taken down');
  await expectText(tab, attack('The visitor'));
  expect(await item(tab, 'A fake bank').getByRole('button').count()).toBe(0);

  await own.reload();
  await own.locator('.report-list').getByText('Taken down').waitFor();
  await own.getByRole('button', { name: 'Change the answer' }).waitFor();
}, 300_000);

test('an administrator dismisses a report, and the page stays', async () => {
  const page = await publish('Harmless seeds');
  await report(page, 'Harmless seeds', 'I do not like it.');
  const tab = await open(boss, '/admin/reports');
  await tab.getByRole('button', { name: `Dismiss the reports of /p/${page.slug}` }).click();
  await expectUsable(tab);
  await dialog(tab).getByRole('button', { name: 'Dismiss the reports' }).click();
  await tab.getByText(`The reports of /p/${page.slug} are dismissed.`).waitFor();
  await item(tab, 'Harmless seeds').waitFor({ state: 'detached' });
  expect(await visit(page)).toBe(200);
  expect(await findReport(page)).toMatchObject({ state: 'dismissed', answer: null });

  const own = await open(owner, `/pages/${page.id}/reports`);
  await own.locator('.report-list').getByText('Dismissed').waitFor();
  expect(await own.getByRole('button', { name: 'Answer', exact: true }).count()).toBe(0);
  await own.getByText('reported this page to the administrators').waitFor({ state: 'detached' });
}, 120_000);
