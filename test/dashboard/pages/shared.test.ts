import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectReadable, overflows, watchComplaints } from '../../support/browser/accessibility.ts';
import {
  closeTabs,
  type Person,
  type Published,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';

/** What people see of pages that others share with them: only what their role allows. */

let stage: Stage;
let owner: Person;
let board: Published;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olive-shared');
  board = await stage.publish(owner, '<!doctype html><title>Board</title><p>Board', {
    name: 'Choir board',
    storage_mode: 'team_app',
  });
});
afterEach(closeTabs);

async function join(person: Person, role: string): Promise<void> {
  const options = { token: owner.token, body: { role, maxUses: 1 } };
  const { body } = await stage.call('POST', `/api/pages/${board.id}/team/invite`, options);
  const joined = await stage.call('POST', `/api/join/${body.inviteCode}`, { token: person.token });
  expect(joined.status).toBe(200);
}

/** Every response that the server refuses while the person looks around. */
function watchRefusals(tab: Page): string[] {
  const refused: string[] = [];
  tab.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${new URL(response.url()).pathname}`);
  });
  return refused;
}

const readTabs = (tab: Page) =>
  tab.getByRole('navigation', { name: 'Tabs' }).getByRole('link').allInnerTexts();

test.each(['viewer', 'member'])(
  'a %s sees the page in the list, opens it, and leaves the team',
  async (role) => {
    const person = await stage.register(`${role}-shared`);
    await join(person, role);
    const tab = await stage.enter(person);
    const complaints = watchComplaints(tab);
    await tab.goto(`${stage.baseUrl}/pages`);
    const row = tab.getByRole('listitem').filter({ hasText: 'Choir board' });
    await row.getByText('by olive-shared').waitFor();
    await row.getByText(new RegExp(`^${role}$`, 'i')).waitFor();
    expect(await row.getByRole('link', { name: /in a new tab/ }).getAttribute('href')).toBe(board.url);
    // It is before what somebody without pages can start with.
    const headings = await tab.getByRole('heading', { level: 2 }).allTextContents();
    expect(headings.indexOf('Shared with you')).toBe(0);
    expect(headings).toContain('Start from a template');
    await expectReadable(tab);
    expect(complaints).toEqual([]);

    await row.getByRole('link', { name: 'Choir board', exact: true }).press('Enter');
    await tab.getByRole('heading', { name: 'Choir board' }).waitFor();
    await tab.getByText('Open the page and read all its data').waitFor();
    expect(await readTabs(tab)).toEqual(['Overview', 'Team']);
    await expectReadable(tab);
    expect(await overflows(tab)).toEqual([]);

    const refused = watchRefusals(tab);
    await tab.getByRole('link', { name: 'Team', exact: true }).click();
    await tab.getByRole('row', { name: /olive-shared/ }).waitFor();
    expect(await tab.getByRole('button', { name: /Remove|Copy invite link|Revoke/ }).count()).toBe(0);
    expect(await tab.getByRole('button', { name: 'Upload files' }).count()).toBe(role === 'member' ? 1 : 0);
    expect(refused).toEqual([]);

    // A screen of the owner says why it is not there.
    await tab.goto(`${stage.baseUrl}/pages/${board.id}/settings`);
    await tab.getByRole('heading', { name: 'Not for your role' }).waitFor();
    await tab.getByRole('link', { name: 'Go to the overview' }).click();
    await tab.getByRole('button', { name: 'Leave team' }).click();
    await tab.getByRole('dialog').getByRole('button', { name: 'Leave team' }).click();
    await tab.getByText('You left the team of Choir board.').waitFor();
    expect(await tab.getByText('Shared with you').count()).toBe(0);
  },
);

test('an admin edits the page, and sees nothing that only its owner can do', async () => {
  const admin = await stage.register('admin-shared');
  await join(admin, 'admin');
  const renamed = { token: owner.token, body: { slug: 'choir-wall' } };
  await stage.call('PATCH', `/api/pages/${board.id}`, renamed);
  const tab = await stage.enter(admin);
  const refused = watchRefusals(tab);
  await tab.goto(`${stage.baseUrl}/pages/${board.id}`);
  await tab.locator('.page-editor .cm-content').first().waitFor();
  expect(await tab.getByRole('button', { name: 'Check', exact: true }).count()).toBe(0);
  for (const [path, waits] of [
    ['versions', 'Version 1'],
    ['data', 'collection'],
    ['forms', 'form'],
    ['team', 'olive-shared'],
  ] as const) {
    await tab.goto(`${stage.baseUrl}/pages/${board.id}/${path}`);
    await tab.getByText(waits).first().waitFor();
  }
  await tab.goto(`${stage.baseUrl}/pages/${board.id}/settings`);
  await tab.getByRole('heading', { name: 'Leave the team' }).waitFor();
  for (const name of ['Copy or delete', 'Domains', 'Preview image'])
    expect(await tab.getByRole('heading', { name }).count()).toBe(0);
  await tab.getByText('/p/choir-board leads here until').waitFor();
  expect(await tab.getByRole('button', { name: /Give up/ }).count()).toBe(0);
  expect(await tab.getByRole('link', { name: 'Agent spec' }).count()).toBe(0);
  await expectReadable(tab);
  expect(refused).toEqual([]);
  await tab.getByRole('button', { name: 'Leave team' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Leave team' }).click();
  await tab.getByText('You left the team of Choir board.').waitFor();
});

test('somebody who is only named can open the page, and a stranger gets the reason', async () => {
  const guest = await stage.register('guest-shared');
  const page = await stage.publish(owner, '<!doctype html><p>For guests', {
    name: 'Guest page',
    access: { mode: 'people', people: ['guest-shared'] },
  });
  const tab = await stage.enter(guest);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  await tab.getByText('olive-shared named you as one who can see it.').waitFor();
  expect(await tab.getByRole('button', { name: 'Leave team' }).count()).toBe(0);
  expect(await tab.getByRole('link', { name: 'Open page' }).getAttribute('href')).toBe(page.url);
  await expectReadable(tab);
  const stranger = await stage.enter(await stage.register('stranger-shared'));
  await stranger.goto(`${stage.baseUrl}/pages/${page.id}`);
  await stranger.getByRole('alert').getByText('This page belongs to someone else.').waitFor();
});
