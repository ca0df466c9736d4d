import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Branch } from '../../../contract/pages/branches/branches.ts';
import { watchComplaints } from '../../support/browser/accessibility.ts';
import {
  closeTabs,
  type Person,
  type Published,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';
import { deploy } from '../functions/deploy.ts';
import { expectUsable } from './publish.ts';

/** How a person sees what an agent has changed on a branch, brings it to the page, and takes it back. */

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('mara-merge');
});
afterEach(closeTabs);

const html = (heading: string, last = 'Salad') =>
  `<!doctype html>\n<title>Menu</title>\n<h1>${heading}</h1>\n<ul>\n<li>Soup\n<li>${last}\n</ul>\n`;
const send = async (method: string, path: string, body?: object, token = owner.token) => {
  const answer = await stage.call(method, path, { token, ...(body && { body }) });
  expect([answer.status < 300, path, answer.body]).toEqual([true, path, answer.body]);
  return answer.body;
};
const publish = () =>
  stage.publish(owner, html('Menu'), { name: 'Canteen', storage_mode: 'team_app', is_published: true });
const makeBranch = (page: Published, name = 'try'): Promise<Branch> =>
  send('POST', `/api/pages/${page.id}/branches`, { name, data: 'all' });
const orders = (id: number) => `/api/pages/${id}/team-data/orders`;
const add = async (id: number, name: string): Promise<string> =>
  (await send('POST', orders(id), { data: { name, meal: 'soup' } })).id;
const readMeals = async (id: number) =>
  Object.fromEntries(
    (await send('GET', orders(id))).records.map(({ data }: { data: { name: string; meal: string } }) => [
      data.name,
      data.meal,
    ]),
  );
const readHtml = async (id: number) => (await send('GET', `/api/pages/${id}`)).page.html_content;
const change = (id: number, content: string, token?: string) =>
  send('PATCH', `/api/pages/${id}`, { html_content: content }, token);

async function open(path: string, person = owner): Promise<Page> {
  const tab = await stage.reuse(person);
  await tab.goto(stage.baseUrl + path);
  return tab;
}

const button = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true });
const line = (tab: Page, title: string) => tab.getByRole('listitem').filter({ hasText: title });

test('an agent breaks a branch, a person merges it with two conflicts, looks at the result and undoes it', async () => {
  const page = await publish();
  const ada = await add(page.id, 'Ada');
  await add(page.id, 'Bob');
  const made = await makeBranch(page);
  const { token } = await send('POST', '/api/auth/tokens', {
    name: 'agent',
    scopes: ['pages:write', 'team-data:write'],
    branches_only: true,
  });
  // The agent can change the branch and not the page.
  const refused = await stage.call('PATCH', `/api/pages/${page.id}`, {
    token,
    body: { html_content: '<p>broken' },
  });
  expect([refused.status, refused.body.code]).toEqual([403, 'PROTECTED']);
  await change(made.page.id, '<p>broken', token);
  expect(await readHtml(page.id)).toBe(html('Menu'));
  await change(made.page.id, html('Menu of the agent', 'Rice'), token);
  await send('PATCH', `${orders(made.page.id)}/${ada}`, { data: { name: 'Ada', meal: 'rice' } }, token);
  await add(made.page.id, 'Cleo');
  // Somebody changes the same on the page.
  await change(page.id, html('Menu of the week'));
  await send('PATCH', `${orders(page.id)}/${ada}`, { data: { name: 'Ada', meal: 'fish' } });

  const tab = await open(`/pages/${made.page.id}/changes`);
  const complaints = watchComplaints(tab);
  await tab.getByText('2 conflicts').waitFor();
  await line(tab, 'Ada, rice').click();
  await tab.getByRole('cell', { name: 'fish' }).waitFor();
  await line(tab, 'index.html').click();
  await tab.getByText('Menu of the agent').first().waitFor();
  await line(tab, 'Cleo, soup').waitFor();
  await expectUsable(tab);

  await tab.getByRole('link', { name: 'Merge', exact: true }).first().click();
  await tab.getByText('Choose for 1 conflict first.').waitFor();
  await tab.getByRole('checkbox', { name: /^Records/ }).check();
  await tab.getByText('Choose for 2 conflicts first.').waitFor();
  expect(await button(tab, 'Merge').isDisabled()).toBe(true);
  await line(tab, 'index.html').getByRole('radio', { name: 'What the branch has' }).check();
  await line(tab, 'Ada, rice').getByRole('radio', { name: 'What the page has' }).check();
  await tab.getByText('1 record is added.').waitFor();
  await button(tab, 'Merge').and(tab.locator(':enabled')).waitFor();
  await expectUsable(tab);
  await button(tab, 'Merge').click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByText('Your visitors get the changes at once.').waitFor();
  await expectUsable(tab);
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
  await tab.getByRole('heading', { name: 'Merged into the page' }).waitFor();
  expect(await readHtml(page.id)).toBe(html('Menu of the agent', 'Rice'));
  expect(await readMeals(page.id)).toEqual({ Ada: 'fish', Bob: 'soup', Cleo: 'soup' });
  await expectUsable(tab);
  expect(await tab.getByRole('link', { name: 'Look at the page' }).getAttribute('href')).toBe(page.url);

  // The result is still there after a reload, with the way back.
  await tab.reload();
  await button(tab, 'Undo').click();
  await tab.getByRole('heading', { name: 'Undone' }).waitFor();
  expect(await readHtml(page.id)).toBe(html('Menu of the week'));
  expect(await readMeals(page.id)).toEqual({ Ada: 'fish', Bob: 'soup' });
  await button(tab, 'Continue with the branch').click();
  await tab.getByText('Choose for 1 conflict first.').waitFor();
  expect(complaints).toEqual([]);
}, 180_000);

test('rows of a table are shown, decided and merged, and what is removed is confirmed', async () => {
  const slug = 'meals-merge';
  await deploy(stage, owner, slug, { enableDatabase: true });
  const sql = async (name: string, text: string) =>
    (await send('POST', `/api/functions/${name}/database`, { sql: text })).results;
  await sql(slug, 'create table meals (id integer primary key, name text, price integer)');
  await sql(slug, "insert into meals values (1, 'Soup', 3), (2, 'Rice', 4)");
  await sql(slug, 'create table old (a)');
  const page = await stage.publish(owner, html('Menu'), { name: 'Kitchen', functions: [slug] });
  const made = await makeBranch(page, 'meals');
  const own = `${slug}--meals`;
  await sql(own, "update meals set name = 'Stew' where id = 1");
  await sql(own, "insert into meals values (3, 'Fish', 5)");
  await sql(own, 'drop table old');
  await sql(slug, "update meals set name = 'Broth' where id = 1");

  const tab = await open(`/pages/${made.page.id}/changes`);
  const complaints = watchComplaints(tab);
  await tab.getByText('1 conflict').first().waitFor();
  await line(tab, '1, Stew').click();
  await tab.getByRole('cell', { name: 'Broth' }).waitFor();
  await line(tab, '3, Fish').waitFor();
  await line(tab, 'removes data').waitFor();
  await expectUsable(tab);

  await tab.getByRole('link', { name: 'Merge', exact: true }).first().click();
  await tab.getByText('Confirm first that data is removed.').waitFor();
  await tab.getByRole('checkbox', { name: /^Rows of/ }).check();
  await tab.getByText('Choose for 1 conflict first.').waitFor();
  await line(tab, '1, Stew').getByRole('radio', { name: 'What the branch has' }).check();
  await tab.getByText('1 row is added to tables.').waitFor();
  await tab.getByRole('checkbox', { name: /^Remove columns or tables/ }).check();
  await button(tab, 'Merge').and(tab.locator(':enabled')).waitFor();
  await expectUsable(tab);
  await button(tab, 'Merge').click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Merge', exact: true }).click();
  await tab.getByRole('heading', { name: 'Merged into the page' }).waitFor();
  const names = 'select name from meals order by id';
  expect(await sql(slug, names)).toEqual([{ name: 'Stew' }, { name: 'Rice' }, { name: 'Fish' }]);
  await button(tab, 'Undo').click();
  await tab.getByRole('heading', { name: 'Undone' }).waitFor();
  expect(await sql(slug, names)).toEqual([{ name: 'Broth' }, { name: 'Rice' }]);
  expect(complaints).toEqual([]);
}, 180_000);

test('the changes of the page come to the branch, and can be taken back', async () => {
  const page = await publish();
  const made = await makeBranch(page);
  await change(page.id, html('Menu', 'Fish'));
  await change(made.page.id, html('Other menu'));
  const tab = await open(`/pages/${made.page.id}/changes`);
  await tab.getByRole('link', { name: 'Update from the page' }).click();
  await tab.getByText('1 file changes.').waitFor();
  await expectUsable(tab);
  await button(tab, 'Update branch').click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Update branch', exact: true }).click();
  await tab.getByRole('heading', { name: 'The branch is updated' }).waitFor();
  expect(await readHtml(made.page.id)).toBe(html('Other menu', 'Fish'));
  expect(await readHtml(page.id)).toBe(html('Menu', 'Fish'));
  await button(tab, 'Undo').click();
  await tab.getByRole('heading', { name: 'Undone' }).waitFor();
  expect(await readHtml(made.page.id)).toBe(html('Other menu'));
}, 120_000);

test('a branch without changes says so, and long lists grow with a button', async () => {
  const page = await publish();
  const made = await makeBranch(page);
  const tab = await open(`/pages/${made.page.id}/changes`);
  await tab.getByText('The branch and the page are the same.').waitFor();
  await expectUsable(tab);
  await tab.getByRole('link', { name: 'Merge', exact: true }).click();
  await tab.getByText('Nothing to merge').waitFor();
  await expectUsable(tab);
  for (let index = 1; index <= 60; index++) await add(made.page.id, `Child ${index}`);
  await tab.getByRole('link', { name: 'Changes', exact: true }).first().click();
  await tab.getByText('60 changes on the branch').waitFor();
  const lines = tab.locator('.branch-changes > li');
  await lines.nth(49).waitFor();
  expect(await lines.count()).toBe(50);
  await button(tab, 'Show more').click();
  await lines.nth(59).waitFor();
  expect(await button(tab, 'Show more').count()).toBe(0);
  await button(tab, 'On the page').click();
  await tab.getByText('No such changes').waitFor();
}, 120_000);

test('only the owner compares and merges; an admin of the team reads that', async () => {
  const page = await publish();
  const admin = await stage.register('albert-merge');
  const { inviteCode } = await send('POST', `/api/pages/${page.id}/team/invite`, {
    role: 'admin',
    maxUses: 1,
  });
  await send('POST', `/api/join/${inviteCode}`, undefined, admin.token);
  const made = await makeBranch(page);
  const tab = await open(`/pages/${made.page.id}/changes`, admin);
  await tab.getByText('For the owner of the page').waitFor();
  expect(await tab.getByRole('link', { name: 'Merge', exact: true }).count()).toBe(0);
  await expectUsable(tab);
  await tab.goto(`${stage.baseUrl}/pages/${made.page.id}/merge`);
  await tab.getByText('For the owner of the page').waitFor();
});
