import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  breakMergeAndUndo,
  createMenus,
  findButton,
  findLine,
  menuHtml,
} from '../../support/branches/merge-journey.ts';
import { watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { deploy } from '../functions/deploy.ts';
import { expectUsable } from './publish.ts';

/** How a person sees what an agent has changed on a branch, brings it to the page, and takes it back. */

let stage: Stage;
let owner: Person;
let menus: ReturnType<typeof createMenus>;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('mara-merge');
  menus = createMenus(stage, owner);
});
afterEach(closeTabs);

async function open(path: string, person = owner): Promise<Page> {
  const tab = await stage.reuse(person);
  await tab.goto(stage.baseUrl + path);
  return tab;
}

test('an agent breaks a branch, a person merges it with two conflicts, looks at the result and undoes it', async () => {
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  const nobody = async () => undefined;
  await breakMergeAndUndo(stage, owner, tab, { look: expectUsable, visit: nobody, visitBroken: nobody });
  expect(complaints).toEqual([]);
}, 180_000);

test('rows of a table are shown, decided and merged, and what is removed is confirmed', async () => {
  const slug = 'meals-merge';
  await deploy(stage, owner, slug, { enableDatabase: true });
  const sql = async (name: string, text: string) =>
    (await menus.send('POST', `/api/functions/${name}/database`, { sql: text })).results;
  await sql(slug, 'create table meals (id integer primary key, name text, price integer)');
  await sql(slug, "insert into meals values (1, 'Soup', 3), (2, 'Rice', 4)");
  await sql(slug, 'create table old (a)');
  const page = await stage.publish(owner, menuHtml('Menu'), { name: 'Kitchen', functions: [slug] });
  const made = await menus.makeBranch(page, 'meals');
  const own = `${slug}--meals`;
  await sql(own, "update meals set name = 'Stew' where id = 1");
  await sql(own, "insert into meals values (3, 'Fish', 5)");
  await sql(own, 'drop table old');
  await sql(slug, "update meals set name = 'Broth' where id = 1");

  const tab = await open(`/pages/${made.page.id}/changes`);
  const complaints = watchComplaints(tab);
  await tab.getByText('1 conflict').first().waitFor();
  await findLine(tab, '1, Stew').click();
  await tab.getByRole('cell', { name: 'Broth' }).waitFor();
  await findLine(tab, '3, Fish').waitFor();
  await findLine(tab, 'removes data').waitFor();
  await expectUsable(tab);

  await tab.getByRole('link', { name: 'Merge', exact: true }).first().click();
  await tab.getByText('Confirm first that data is removed.').waitFor();
  await tab.getByRole('checkbox', { name: /^Rows of/ }).check();
  await tab.getByText('Choose for 1 conflict first.').waitFor();
  await findLine(tab, '1, Stew').getByRole('radio', { name: 'What the branch has' }).check();
  await tab.getByText('1 row is added to tables.').waitFor();
  await tab.getByRole('checkbox', { name: /^Remove columns or tables/ }).check();
  await findButton(tab, 'Merge').and(tab.locator(':enabled')).waitFor();
  await expectUsable(tab);
  await findButton(tab, 'Merge').click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Merge', exact: true }).click();
  await tab.getByRole('heading', { name: 'Merged into the page' }).waitFor();
  const names = 'select name from meals order by id';
  expect(await sql(slug, names)).toEqual([{ name: 'Stew' }, { name: 'Rice' }, { name: 'Fish' }]);
  await findButton(tab, 'Undo').click();
  await tab.getByRole('heading', { name: 'Undone' }).waitFor();
  expect(await sql(slug, names)).toEqual([{ name: 'Broth' }, { name: 'Rice' }]);
  expect(complaints).toEqual([]);
}, 180_000);

test('the changes of the page come to the branch, and can be taken back', async () => {
  const page = await menus.publish();
  const made = await menus.makeBranch(page);
  await menus.change(page.id, menuHtml('Menu', 'Fish'));
  await menus.change(made.page.id, menuHtml('Other menu'));
  const tab = await open(`/pages/${made.page.id}/changes`);
  await tab.getByRole('link', { name: 'Update from the page' }).click();
  await tab.getByText('1 file changes.').waitFor();
  await expectUsable(tab);
  await findButton(tab, 'Update branch').click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Update branch', exact: true }).click();
  await tab.getByRole('heading', { name: 'The branch is updated' }).waitFor();
  expect(await menus.readHtml(made.page.id)).toBe(menuHtml('Other menu', 'Fish'));
  expect(await menus.readHtml(page.id)).toBe(menuHtml('Menu', 'Fish'));
  await findButton(tab, 'Undo').click();
  await tab.getByRole('heading', { name: 'Undone' }).waitFor();
  expect(await menus.readHtml(made.page.id)).toBe(menuHtml('Other menu'));
}, 120_000);

test('a branch without changes says so, and long lists grow with a button', async () => {
  const page = await menus.publish();
  const made = await menus.makeBranch(page);
  const tab = await open(`/pages/${made.page.id}/changes`);
  await tab.getByText('The branch and the page are the same.').waitFor();
  await expectUsable(tab);
  await tab.getByRole('link', { name: 'Merge', exact: true }).click();
  await tab.getByText('Nothing to merge').waitFor();
  await expectUsable(tab);
  for (let index = 1; index <= 60; index++) await menus.add(made.page.id, `Child ${index}`);
  await tab.getByRole('link', { name: 'Changes', exact: true }).first().click();
  await tab.getByText('60 changes on the branch').waitFor();
  const lines = tab.locator('.branch-changes > li');
  await lines.nth(49).waitFor();
  expect(await lines.count()).toBe(50);
  await findButton(tab, 'Show more').click();
  await lines.nth(59).waitFor();
  expect(await findButton(tab, 'Show more').count()).toBe(0);
  await findButton(tab, 'On the page').click();
  await tab.getByText('No such changes').waitFor();
}, 120_000);

test('only the owner compares and merges; an admin of the team reads that', async () => {
  const page = await menus.publish();
  const admin = await stage.register('albert-merge');
  const { inviteCode } = await menus.send('POST', `/api/pages/${page.id}/team/invite`, {
    role: 'admin',
    maxUses: 1,
  });
  await menus.send('POST', `/api/join/${inviteCode}`, undefined, admin.token);
  const made = await menus.makeBranch(page);
  const tab = await open(`/pages/${made.page.id}/changes`, admin);
  await tab.getByText('For the owner of the page').waitFor();
  expect(await tab.getByRole('link', { name: 'Merge', exact: true }).count()).toBe(0);
  await expectUsable(tab);
  await tab.goto(`${stage.baseUrl}/pages/${made.page.id}/merge`);
  await tab.getByText('For the owner of the page').waitFor();
});
