import { afterEach, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Page } from 'playwright-core';
import { expectReadable, overflow, watchComplaints } from '../support/browser/accessibility.ts';
import { closeTabs, type Person, type Published, type Stage, sharedStage } from '../support/browser/stage.ts';

/** The team of a page in the dashboard, as its members see it. */

const PHONE = { width: 390, height: 844 };

let stage: Stage;
let owner: Person;
let guest: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olga-team');
  guest = await stage.register('gina-team');
});
afterEach(closeTabs);

const publish = (storage_mode = 'team_app') =>
  stage.publish(owner, '<!doctype html><title>Plans</title>', { name: 'Garden plans', storage_mode });

async function open(page: Published, person: Person): Promise<Page> {
  const tab = await stage.reuse(person);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/team`);
  return tab;
}

async function invite(page: Published, body: Record<string, unknown> = {}): Promise<string> {
  const path = `/api/pages/${page.id}/team/invite`;
  return (await stage.call('POST', path, { body, token: owner.token })).body.inviteCode;
}

async function join(page: Published, person: Person, role: string): Promise<void> {
  const code = await invite(page, { role, maxUses: 1 });
  expect((await stage.call('POST', `/api/join/${code}`, { token: person.token })).status).toBe(200);
}

const button = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true });
const invites = (tab: Page) => tab.getByRole('region', { name: 'Open invites' }).locator('tbody tr');

async function confirm(tab: Page, phrase: string, submit: string): Promise<void> {
  const dialog = tab.getByRole('dialog');
  expect(await dialog.getByRole('button', { name: submit, exact: true }).isDisabled()).toBe(true);
  await dialog.getByLabel(`Type ${phrase} to confirm`).fill(phrase);
  await dialog.getByRole('button', { name: submit, exact: true }).click();
}

test('a page without a team says why, and where to change that', async () => {
  const tab = await open(await publish('solo_app'), owner);
  await tab.getByRole('heading', { name: 'This page has no team' }).waitFor();
  expect(await tab.getByRole('link', { name: 'Choose a storage mode' }).getAttribute('href')).toEndWith(
    '/settings',
  );
});

test('one user invites, another joins with the link, and both see the roles', async () => {
  const page = await publish();
  const olga = await open(page, owner);
  await olga.getByText('None. Links are listed here').waitFor();
  await olga.getByText('Details', { exact: true }).click();
  await olga.getByLabel('Role', { exact: true }).selectOption('admin');
  await olga.getByLabel('Can be used').fill('2');
  await button(olga, 'Copy invite link').click();
  const link = (await olga.locator('.team-made code').textContent()) ?? '';
  expect(link).toStartWith(`${stage.baseUrl}/join/`);
  await button(olga, 'Copy link').waitFor();
  await invites(olga).getByText('Used 0 of 2').waitFor();

  const gina = await stage.reuse(guest);
  await gina.goto(link);
  await gina.getByRole('button', { name: 'Join' }).click();
  await gina.waitForURL(page.address);
  await gina.goto(`${stage.baseUrl}/pages/${page.id}/team`);
  await gina.getByRole('row', { name: /gina-team you Admin/ }).waitFor();
  // Admins manage lower roles: not the owner, and not an invite for admins.
  expect(await gina.getByLabel(/^Role of/).count()).toBe(0);
  await invites(gina).getByText('Used 1 of 2').waitFor();
  expect(await gina.getByRole('button', { name: /^Revoke/ }).count()).toBe(0);
  expect(await gina.getByLabel('Role', { exact: true }).getByRole('option').allTextContents()).toEqual([
    'Member',
    'Viewer',
  ]);

  await olga.reload();
  await invites(olga).getByText('Used 1 of 2').waitFor();
  const role = olga.getByLabel('Role of gina-team');
  expect(await role.inputValue()).toBe('admin');
  await role.selectOption('viewer');
  await olga.getByText('gina-team now has the role viewer. All open invites are revoked.').waitFor();
  // A member with a lower role may still have an invite, so all invites end.
  await olga.getByText('None. Links are listed here').waitFor();
  await gina.reload();
  // Viewers see who is in the team, and cannot manage it.
  await gina.getByRole('row', { name: /gina-team you Viewer/ }).waitFor();
  expect(await button(gina, 'Copy invite link').count()).toBe(0);
  expect(await gina.getByText('If you lower someone’s role').count()).toBe(0);
  const path = `/api/pages/${page.id}/team`;
  const { body } = await stage.call('GET', path, { token: guest.token });
  expect(body.members.map((member: { role: string }) => member.role)).toEqual(['owner', 'viewer']);

  await button(olga, 'Copy invite link').click();
  await invites(olga).first().waitFor();
  await button(olga, 'Remove gina-team').click();
  await olga.getByRole('dialog').getByText('All open invites are revoked').waitFor();
  await olga.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await olga.getByText('Removed gina-team from the team. All open invites are revoked.').waitFor();
  await olga.locator('.team-made').waitFor({ state: 'detached' });
  await role.waitFor({ state: 'detached' });
  expect((await stage.call('GET', path, { token: guest.token })).status).toBe(403);
});

test('an invite can be revoked, and its link stops working', async () => {
  const page = await publish();
  const tab = await open(page, owner);
  await tab.getByText('Details', { exact: true }).click();
  await tab.getByLabel('Role', { exact: true }).selectOption('viewer');
  await button(tab, 'Copy invite link').click();
  const link = (await tab.locator('.team-made code').textContent()) ?? '';
  await button(tab, 'Revoke the invite for viewers').click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  await tab.getByText('Invite revoked.').waitFor();
  await tab.getByText('None. Links are listed here').waitFor();
  await tab.locator('.team-made').waitFor({ state: 'detached' });
  const look = await stage.reuse(guest);
  expect((await look.goto(link))?.status()).toBe(404);
});

test('an invalid invite shows the error next to the field', async () => {
  const tab = await open(await publish(), owner);
  await tab.getByText('Details', { exact: true }).click();
  await tab.getByLabel('Expires after (days)').fill('400');
  await tab.getByLabel('Can be used').fill('0');
  await button(tab, 'Copy invite link').click();
  const days = tab.locator('.field', { has: tab.getByLabel('Expires after (days)') });
  await days.getByText('a whole number from 1 to 365').waitFor();
  expect(await tab.getByLabel('Can be used').getAttribute('aria-invalid')).toBe('true');
  expect(await tab.getByLabel('Expires after (days)').inputValue()).toBe('400');
});

test('an admin can leave; the owner cannot', async () => {
  const page = await publish();
  await join(page, guest, 'admin');
  const olga = await open(page, owner);
  await olga.getByLabel('Role of gina-team').waitFor();
  expect(await button(olga, 'Leave').count()).toBe(0);
  const gina = await open(page, guest);
  await button(gina, 'Leave').click();
  await gina.getByRole('dialog').getByRole('button', { name: 'Leave team', exact: true }).click();
  await gina.waitForURL(/\/pages$/);
  expect((await stage.call('GET', `/api/pages/${page.id}/team`, { token: guest.token })).status).toBe(403);
});

test('a member who is removed while looking at the records gets no more events', async () => {
  const page = await publish();
  await join(page, guest, 'admin');
  const gina = await stage.reuse(guest);
  await gina.goto(`${stage.baseUrl}/pages/${page.id}/data/tasks`);
  await gina.getByText('Live', { exact: true }).waitFor();
  await gina.getByText('No records yet').waitFor();
  const path = `/api/pages/${page.id}`;
  await stage.call('DELETE', `${path}/team/${guest.id}`, { token: owner.token });
  await gina.getByText('Not live').waitFor();
  await stage.call('POST', `${path}/team-data/tasks`, { body: { data: { a: 1 } }, token: owner.token });
  expect(await gina.getByText('No records yet').isVisible()).toBe(true);
});

test('files can be uploaded, downloaded unchanged and deleted; one that is too large is refused immediately', async () => {
  const page = await publish();
  const tab = await open(page, owner);
  await tab.getByText('No files yet').waitFor();
  const bytes = Buffer.from('plan of the garden');
  const pick = async (file: string | { name: string; mimeType: string; buffer: Buffer }) => {
    const chooser = tab.waitForEvent('filechooser');
    await button(tab, 'Upload files').click();
    await (await chooser).setFiles(file);
  };
  await pick({ name: 'plan <b>.txt', mimeType: 'text/plain', buffer: bytes });
  await tab.getByText('Uploaded plan <b>.txt.').waitFor();
  await tab.getByRole('cell', { name: 'plan <b>.txt', exact: true }).waitFor();
  const download = tab.waitForEvent('download');
  await button(tab, 'Download plan <b>.txt').click();
  expect(await Bun.file(await (await download).path()).text()).toBe(bytes.toString());
  const folder = await mkdtemp(`${tmpdir()}/quire-file-`);
  try {
    await Bun.write(`${folder}/huge.bin`, '');
    await truncate(`${folder}/huge.bin`, 10 * 1024 * 1024 + 1);
    await pick(`${folder}/huge.bin`);
    await tab.getByRole('alert').getByText('huge.bin is larger than the limit of 10 MB').waitFor();
  } finally {
    await rm(folder, { recursive: true });
  }
  await button(tab, 'Delete plan <b>.txt').click();
  await confirm(tab, 'delete', 'Delete permanently');
  await tab.getByText('No files yet').waitFor();
});

test('the screen is readable in light and dark mode, and fits a phone', async () => {
  const page = await publish();
  await join(page, guest, 'member');
  await invite(page);
  const form = new FormData();
  form.set('file', new File(['x'], `${'Wochenplan'.repeat(15)}.pdf`));
  await fetch(`${stage.baseUrl}/api/pages/${page.id}/team-files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}` },
    body: form,
  });
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/team`);
  await tab.getByRole('cell', { name: /^Wochenplan/ }).waitFor();
  await button(tab, 'Copy invite link').click();
  await tab.locator('.team-made').waitFor();
  await tab.getByText('What each role can do').click();
  await expectReadable(tab);
  await tab.setViewportSize(PHONE);
  expect(await overflow(tab)).toBe(0);
  await button(tab, 'Remove gina-team').click();
  await expectReadable(tab);
  expect(await overflow(tab)).toBe(0);
  expect(complaints).toEqual([]);
});
