import { Database } from 'bun:sqlite';
import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Branch } from '../../../contract/pages/branches/branches.ts';
import { watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { deploy } from '../functions/deploy.ts';
import { expectUsable } from './publish.ts';

/** Branches in the dashboard: how they are made, shown and deleted, and what they have of their own. */

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('berta-branches');
});
afterEach(closeTabs);

const send = async (method: string, path: string, body?: object, token = owner.token) => {
  const answer = await stage.call(method, path, { token, ...(body && { body }) });
  expect([answer.status < 300, path, answer.body]).toEqual([true, path, answer.body]);
  return answer.body;
};
const publish = (fields: object = {}) =>
  stage.publish(owner, '<!doctype html><title>Menu</title><h1>Soup</h1>', {
    name: 'Menu',
    storage_mode: 'team_app',
    ...fields,
  });
const branch = (id: number, name: string): Promise<Branch> =>
  send('POST', `/api/pages/${id}/branches`, { name, data: 'all' });

async function open(path: string): Promise<Page> {
  const tab = await stage.reuse(owner);
  await tab.goto(stage.baseUrl + path);
  return tab;
}

const band = (tab: Page) => tab.getByRole('complementary', { name: 'You are working on a branch' });
const menu = (tab: Page, name: string) => tab.getByRole('menuitem', { name });
const choose = async (tab: Page, item: string) => {
  await tab.getByRole('button', { name: /^Branches of this page|^Branch .* choose another/ }).click();
  await menu(tab, item).click();
};

/** Changes a row as a server that was killed leaves it. */
function write(sql: string): void {
  const db = new Database(join(stage.dataFolder, 'quire.db'));
  db.run('pragma busy_timeout = 10000');
  db.run(sql);
  db.close();
}

test('a person makes a branch from the name of the page, works on it, renames it and deletes it', async () => {
  const page = await publish();
  await send('POST', `/api/pages/${page.id}/team-data/orders`, { data: { text: 'one' } });
  const tab = await open(`/pages/${page.id}/branches`);
  const complaints = watchComplaints(tab);
  await tab.getByText('No branches yet').waitFor();
  await expectUsable(tab);
  await choose(tab, 'New branch…');
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Süße Karte');
  await dialog.getByText(`/p/${page.slug}--susse-karte`).waitFor();
  await dialog.getByRole('radio', { name: /^Empty/ }).check();
  await expectUsable(tab);
  await dialog.getByRole('button', { name: 'Make branch' }).click();
  await band(tab).getByText('susse-karte').waitFor();
  const [made] = (await send('GET', `/api/pages/${page.id}/branches`)).branches as Branch[];
  expect(made).toMatchObject({ name: 'susse-karte', data: 'schema' });
  expect(new URL(tab.url()).pathname).toBe(`/pages/${made?.page.id}`);

  // The way to the page and back keeps the screen.
  await tab.goto(`${stage.baseUrl}/pages/${made?.page.id}/data`);
  await band(tab).waitFor();
  await expectUsable(tab);
  await band(tab).getByRole('link', { name: 'Back to the page' }).click();
  await tab.waitForURL(`**/pages/${page.id}/data`);
  await band(tab).waitFor({ state: 'detached' });
  await choose(tab, 'susse-karte');
  await tab.waitForURL(`**/pages/${made?.page.id}/data`);
  await choose(tab, 'All branches');
  await tab.getByRole('button', { name: 'Actions for susse-karte' }).click();
  await menu(tab, 'Rename…').click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('lunch');
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
  await tab.getByRole('link', { name: 'lunch', exact: true }).click();
  await band(tab).getByText('lunch').waitFor();

  // It is in no list of pages.
  await tab.goto(`${stage.baseUrl}/pages?q=${page.slug}`);
  await tab.getByText('1 page found').waitFor();

  await tab.goto(`${stage.baseUrl}/pages/${made?.page.id}/branch`);
  await tab.getByRole('button', { name: 'Delete', exact: true }).click();
  await expectUsable(tab);
  await dialog.getByRole('button', { name: 'Delete branch' }).click();
  await tab.waitForURL(`**/pages/${page.id}`);
  expect((await send('GET', `/api/pages/${page.id}/branches`)).branches).toEqual([]);
  expect(complaints).toEqual([]);
}, 120_000);

test('a branch starts from an earlier moment', async () => {
  const page = await publish();
  await send('POST', `/api/pages/${page.id}/moments`, { name: 'With soup' });
  await send('PATCH', `/api/pages/${page.id}`, { html_content: '<!doctype html><h1>Salad</h1>' });
  const tab = await open(`/pages/${page.id}/branches`);
  await choose(tab, 'New branch…');
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('before');
  const option = dialog.getByRole('option', { name: /With soup$/ });
  await dialog.getByLabel('Starts from').selectOption((await option.getAttribute('value')) ?? '');
  await dialog.getByRole('button', { name: 'Make branch' }).click();
  await band(tab).waitFor();
  const [made] = (await send('GET', `/api/pages/${page.id}/branches`)).branches as Branch[];
  expect((await send('GET', `/api/pages/${made?.page.id}`)).page.html_content).toContain('Soup');
});

test('functions with empty secrets and mail that was not sent are shown, and a function says where it belongs', async () => {
  await deploy(stage, owner, 'berta-order');
  await send('PUT', '/api/functions/berta-order/secrets/KEY', { value: 'secret' });
  const page = await publish({ functions: ['berta-order'] });
  const made = await branch(page.id, 'try');
  for (let index = 1; index <= 25; index++)
    write(
      `insert into branch_mails (page_id, at, recipients, subject, text, html)
       values (${made.page.id}, ${Date.now()}, '["kitchen@example.org"]', 'Order ${index}', 'Two soups', null)`,
    );
  const tab = await open(`/pages/${made.page.id}/branch`);
  await tab.getByText('Empty secret').waitFor();
  await tab.getByText('Order 25', { exact: true }).click();
  await tab.getByText('Two soups').first().waitFor();
  await expectUsable(tab);
  expect(await tab.getByText('Order 1', { exact: true }).count()).toBe(0);
  await tab.getByRole('button', { name: 'Show more' }).click();
  await tab.getByText('Order 1', { exact: true }).waitFor();

  await tab.getByRole('link', { name: 'Set for this branch' }).click();
  await band(tab).getByText('try').waitFor();
  await expectUsable(tab);
  await tab.getByLabel('Name').fill('KEY');
  await tab.getByLabel('Value').fill('other');
  await tab.getByRole('button', { name: 'Add', exact: true }).click();
  await tab.getByRole('cell', { name: 'KEY', exact: true }).waitFor();
  await band(tab).getByRole('link', { name: 'Back to the branch' }).click();
  await band(tab).getByRole('link', { name: 'Functions and mail' }).click();
  await tab.getByText('Secrets that are set: KEY').waitFor();
});

describe('a branch that is being made', () => {
  test('shows so after a reload too, and that it is ready without one', async () => {
    const page = await publish();
    const made = await branch(page.id, 'slow');
    const change = (step: string) =>
      write(
        `update branches set step = '${step}', claimed_until = ${Date.now() + 600_000} where page_id = ${made.page.id}`,
      );
    change('records');
    const tab = await open(`/pages/${made.page.id}/data`);
    await band(tab).getByRole('progressbar').waitFor();
    await expectUsable(tab);
    await tab.reload();
    await band(tab).getByRole('progressbar').waitFor();
    await tab.goto(`${stage.baseUrl}/pages/${page.id}/branches`);
    await tab.getByRole('progressbar', { name: /Is being made/ }).waitFor();
    await expectUsable(tab);
    change('ready');
    await tab.getByRole('progressbar').waitFor({ state: 'detached' });
  });

  test('and fails, or is deleted elsewhere, says so', async () => {
    const page = await publish();
    const made = await branch(page.id, 'broken');
    write(
      `update branches set step = 'records', claimed_until = ${Date.now() + 600_000} where page_id = ${made.page.id}`,
    );
    const tab = await open(`/pages/${page.id}/branches`);
    await tab.getByRole('progressbar').waitFor();
    await send('DELETE', `/api/pages/${page.id}/branches/broken`);
    await tab.getByRole('alert').getByText('The branch broken is gone').waitFor();
    await expectUsable(tab);
  });
});

test.each(['branch', 'changes', 'merge'])(
  'a branch that is deleted elsewhere says so on its screen /%s, and leads back',
  async (screen) => {
    const page = await publish();
    const made = await branch(page.id, 'short');
    const tab = await stage.reuse(owner);
    // The page of the branch is there, and the branch is not in the list any more.
    await tab.route(`**/api/pages/${page.id}/branches`, async (route) => {
      await send('DELETE', `/api/pages/${page.id}/branches/short`).catch(() => undefined);
      await route.continue();
    });
    await tab.goto(`${stage.baseUrl}/pages/${made.page.id}/${screen}`);
    await tab.getByRole('alert').getByText('The branch short is gone').waitFor();
    await expectUsable(tab);
    if (process.env.PICTURES)
      await tab.screenshot({ path: `${process.env.PICTURES}/branch-gone-${screen}.png` });
    await tab.getByRole('alert').getByRole('link', { name: 'All branches' }).click();
    await tab.getByText('No branches yet').waitFor();
  },
);

test('an admin of the team looks at branches and cannot make or delete them', async () => {
  const page = await publish();
  const admin = await stage.register('anton-branches');
  const { inviteCode } = await send('POST', `/api/pages/${page.id}/team/invite`, {
    role: 'admin',
    maxUses: 1,
  });
  await send('POST', `/api/join/${inviteCode}`, undefined, admin.token);
  await branch(page.id, 'look');
  const tab = await stage.reuse(admin);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/branches`);
  await tab.getByText('Only the owner of the page makes').waitFor();
  await expectUsable(tab);
  expect(await tab.getByRole('button', { name: 'New branch' }).count()).toBe(0);
  await tab.getByRole('link', { name: 'look', exact: true }).click();
  await band(tab).getByRole('link', { name: 'Functions and mail' }).click();
  await tab.getByRole('heading', { name: 'The branch look' }).waitFor();
  expect(await tab.getByRole('heading', { name: 'Outbox' }).count()).toBe(0);
  await tab.getByRole('link', { name: 'Team', exact: true }).click();
  await tab.getByRole('heading', { name: 'A branch has the team of its page' }).waitFor();
  expect(await tab.getByRole('button', { name: 'Leave' }).count()).toBe(0);
  await tab.getByRole('link', { name: 'Team of the page' }).click();
  await tab.getByRole('row', { name: /anton-branches you Admin/ }).waitFor();
  // The list of what is shared with somebody has the page once.
  await tab.goto(`${stage.baseUrl}/pages`);
  await tab.getByText('by berta-branches').waitFor();
  expect(await tab.getByRole('link', { name: 'Menu', exact: true }).count()).toBe(1);
});

test('a page that is protected says so, and leads to the switch', async () => {
  const page = await publish({ protected: true });
  const tab = await open(`/pages/${page.id}/branches`);
  await tab.getByText('This page is protected').waitFor();
  await tab.getByRole('link', { name: 'Protected from agents' }).click();
  await tab.getByRole('switch', { name: 'Protect this page from agents' }).waitFor();
  expect(new URL(tab.url()).hash).toBe('#protection');
});

test('a branch that nobody uses says on Home and in its band when it is deleted, and its owner keeps it', async () => {
  const page = await publish({ name: 'Forgotten' });
  const made = await branch(page.id, 'idle');
  write(`update branches set warned_at = ${Date.now()} where page_id = ${made.page.id}`);
  const tab = await open('/');
  await tab.getByText('Nobody uses this branch').waitFor();
  await tab.getByRole('link', { name: 'Forgotten · idle' }).click();
  await band(tab)
    .getByText(/Nobody has visited or changed this branch for 30 days/)
    .waitFor();
  await expectUsable(tab);
  await band(tab).getByRole('button', { name: 'Keep it' }).click();
  await band(tab)
    .getByText(/Nobody has visited/)
    .waitFor({ state: 'detached' });
  const [kept] = (await send('GET', `/api/pages/${page.id}/branches`)).branches as Branch[];
  expect(kept?.ends_at).toBeNull();
});
