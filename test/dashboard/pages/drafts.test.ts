import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectReadable, overflow, watchComplaints } from '../../support/browser/accessibility.ts';
import {
  closeTabs,
  type Person,
  type Published,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';
import { codeField, expectUsable, showAllTabs, write } from './publish.ts';

/** Save is not publish: drafts in the editor and in the version history. */

const FIRST = '<!doctype html>\n<title>T</title>\n<h1>First</h1>\n';
const SECOND = FIRST.replace('First', 'Second');
const THIRD = FIRST.replace('First', 'Third');

let stage: Stage;
let writer: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  writer = await stage.register('drafter');
});
afterEach(closeTabs);

async function openEditor(page: Published, entered?: Page) {
  const tab = entered ?? (await stage.reuse(writer));
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  await codeField(tab).waitFor();
  return { tab, complaints };
}
const call = (method: string, path: string, body?: object) =>
  stage.call(method, path, { token: writer.token, ...(body && { body }) });
const fetchDrafts = async (page: Published) =>
  (await call('GET', `/api/pages/${page.id}/drafts`)).body.drafts;
const liveText = async (page: Published) =>
  (await call('GET', `/api/pages/${page.id}`)).body.page.html_content;

test('a draft is saved, seen by its link in another browser, and published with a note', async () => {
  const page = await stage.publish(writer, FIRST);
  const { tab, complaints } = await openEditor(page);
  await tab.getByText('Live · version 1').waitFor();
  await write(tab, SECOND);
  await tab.keyboard.press('ControlOrMeta+s');
  await tab.getByText('Draft saved. Visitors still see version 1.').waitFor();
  await tab.getByText('Draft saved · version 1 is live').waitFor();
  expect(await liveText(page)).toBe(FIRST);
  await expectUsable(tab);

  // After a reload the draft is still there.
  await tab.reload();
  await codeField(tab).getByText('Second').waitFor();
  await tab.getByText('Draft saved · version 1 is live').waitFor();

  await showAllTabs(tab);
  await tab.getByRole('link', { name: 'History' }).click();
  await tab.getByRole('link', { name: 'Versions' }).click();
  const list = tab.getByRole('navigation', { name: 'Versions' });
  await list.getByText('Not live').click();
  const shown = tab.getByRole('region', { name: /^Draft/ });
  await shown.getByText('Anyone with this link can see this draft until').waitFor();
  await tab.frameLocator('.version-rendered iframe').getByRole('heading', { name: 'Second' }).waitFor();
  await shown.getByRole('button', { name: 'Add a note' }).click();
  await shown.getByLabel('Note on Draft').fill('A better heading');
  await shown.getByRole('button', { name: 'Save note' }).click();
  await list.getByText('A better heading').waitFor();
  for (const width of [390, 1280]) {
    await tab.setViewportSize({ width, height: 800 });
    await expectReadable(tab);
    expect(await overflow(tab)).toBe(0);
  }

  const [draft] = await fetchDrafts(page);
  const guest = await stage.enter();
  await guest.goto(draft.preview_url);
  await guest.getByRole('heading', { name: 'Second' }).waitFor();

  await shown.getByRole('button', { name: 'Publish' }).click();
  await tab.getByText('Published as version 2.').waitFor();
  await list.getByText('A better heading').waitFor();
  await tab.frameLocator('.version-rendered iframe').getByRole('heading', { name: 'Second' }).waitFor();
  expect(await liveText(page)).toBe(SECOND);
  expect(await fetchDrafts(page)).toEqual([]);
  expect((await guest.reload())?.status()).toBe(404);
  expect(complaints).toEqual([]);
});

test('publishing a draft over a newer version asks first', async () => {
  const page = await stage.publish(writer, FIRST);
  const { tab } = await openEditor(page);
  await write(tab, SECOND);
  await tab.getByRole('button', { name: 'Save draft' }).click();
  await tab.getByText('Draft saved ·').waitFor();
  await call('PATCH', `/api/pages/${page.id}`, { html_content: THIRD });
  await tab.getByRole('button', { name: 'Publish', exact: true }).click();
  const dialog = tab.getByRole('dialog', { name: 'The published page has changed' });
  await dialog.getByText('Someone published version 2').waitFor();
  await dialog.getByRole('button', { name: 'Keep editing the draft' }).click();
  expect(await liveText(page)).toBe(THIRD);
  await tab.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialog.getByRole('button', { name: 'Publish mine as version 3' }).click();
  await tab.getByText('Live · version 3').waitFor();
  expect(await liveText(page)).toBe(SECOND);
});

test('a draft that somebody else saved is not overwritten', async () => {
  const page = await stage.publish(writer, FIRST);
  const { tab } = await openEditor(page);
  await write(tab, SECOND);
  await tab.keyboard.press('ControlOrMeta+s');
  await tab.getByText('Draft saved ·').waitFor();
  const [{ id }] = await fetchDrafts(page);
  await call('PATCH', `/api/pages/${page.id}/drafts/${id}`, { html_content: THIRD });
  await write(tab, `${SECOND}<p>more</p>`);
  await tab.keyboard.press('ControlOrMeta+s');
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Save mine in the draft' }).click();
  await tab.getByText('Draft saved ·').waitFor();
  expect((await call('GET', `/api/pages/${page.id}/drafts/${id}`)).body.html_content).toContain('more');
});

test('what cannot be saved stays in the editor: without a connection, and past the limit of drafts', async () => {
  const page = await stage.publish(writer, FIRST);
  for (let made = 0; made < 20; made++) await call('POST', `/api/pages/${page.id}/drafts`, {});
  const { tab } = await openEditor(page);
  await write(tab, SECOND);
  await tab.keyboard.press('ControlOrMeta+s');
  await tab.getByText('The page has 20 drafts, which is the limit.').waitFor();
  const [{ id }] = await fetchDrafts(page);
  await call('DELETE', `/api/pages/${page.id}/drafts/${id}`);
  await tab.context().setOffline(true);
  await tab.keyboard.press('ControlOrMeta+s');
  await tab.getByText('Not saved. Your changes are stored in this browser.').waitFor();
  await tab.context().setOffline(false);
  await tab.keyboard.press('ControlOrMeta+s');
  await tab.getByText('Draft saved ·').waitFor();
});

test('a page that was never published is saved without a draft, and Publish shows it', async () => {
  const page = await stage.publish(writer, FIRST, { is_published: false });
  const { tab } = await openEditor(page);
  await tab.getByText('Saved · version 1').waitFor();
  await write(tab, SECOND);
  await tab.keyboard.press('ControlOrMeta+s');
  await tab.getByText('Saved · version 2').waitFor();
  expect(await fetchDrafts(page)).toEqual([]);
  await tab.getByRole('button', { name: 'Publish', exact: true }).click();
  await tab.getByText('Your page is live').waitFor();
  expect(new URL(tab.url()).pathname).toBe(`/pages/${page.id}/share`);
  expect((await call('GET', `/api/pages/${page.id}`)).body.page.is_published).toBe(true);
});
