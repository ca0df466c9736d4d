import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Branch } from '../../../contract/pages/branches/branches.ts';
import type { Person, Published, Stage } from '../browser/stage.ts';

/** How a person merges what an agent has made, on one machine and on several. */

interface Watching {
  /** Checks a screen on the way. */
  look(tab: Page): Promise<void>;
  /** Checks what visitors get, whenever something has changed on the page or the branch. */
  visit(page: Published, heading: string): Promise<void>;
  /** Looks at the branch while it is broken. */
  visitBroken(branch: Branch): Promise<void>;
}

export const menuHtml = (heading: string, last = 'Salad') =>
  `<!doctype html>\n<title>Menu</title>\n<h1>${heading}</h1>\n<ul>\n<li>Soup\n<li>${last}\n</ul>\n`;

export const findButton = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true });
export const findLine = (tab: Page, title: string) => tab.getByRole('listitem').filter({ hasText: title });

/** What the tests of merges do over HTTP. */
export function createMenus(stage: Stage, owner: Person) {
  const send = async (method: string, path: string, body?: object, token = owner.token) => {
    const answer = await stage.call(method, path, { token, ...(body && { body }) });
    expect([answer.status < 300, path, answer.body]).toEqual([true, path, answer.body]);
    return answer.body;
  };
  const orders = (id: number) => `/api/pages/${id}/team-data/orders`;
  return {
    send,
    orders,
    publish: () =>
      stage.publish(owner, menuHtml('Menu'), {
        name: 'Canteen',
        storage_mode: 'team_app',
        is_published: true,
      }),
    makeBranch: (page: Published, name = 'try'): Promise<Branch> =>
      send('POST', `/api/pages/${page.id}/branches`, { name, data: 'all' }),
    add: async (id: number, name: string): Promise<string> =>
      (await send('POST', orders(id), { data: { name, meal: 'soup' } })).id,
    readMeals: async (id: number) =>
      Object.fromEntries(
        (await send('GET', orders(id))).records.map(({ data }: { data: { name: string; meal: string } }) => [
          data.name,
          data.meal,
        ]),
      ),
    readHtml: async (id: number) => (await send('GET', `/api/pages/${id}`)).page.html_content,
    change: (id: number, content: string, token?: string) =>
      send('PATCH', `/api/pages/${id}`, { html_content: content }, token),
  };
}

type Menus = ReturnType<typeof createMenus>;

/** An agent breaks and changes a branch, and a person the page: a line and a record conflict. */
async function workOnBoth(stage: Stage, menus: Menus, { visit, visitBroken }: Watching) {
  const { send, add, change, orders, readHtml } = menus;
  const page = await menus.publish();
  const ada = await add(page.id, 'Ada');
  await add(page.id, 'Bob');
  const made = await menus.makeBranch(page);
  await visit(page, 'Menu');
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
  await visitBroken(made);
  expect(await readHtml(page.id)).toBe(menuHtml('Menu'));
  await visit(page, 'Menu');
  await change(made.page.id, menuHtml('Menu of the agent', 'Rice'), token);
  await send('PATCH', `${orders(made.page.id)}/${ada}`, { data: { name: 'Ada', meal: 'rice' } }, token);
  await add(made.page.id, 'Cleo');
  // Somebody changes the same on the page.
  await change(page.id, menuHtml('Menu of the week'));
  await send('PATCH', `${orders(page.id)}/${ada}`, { data: { name: 'Ada', meal: 'fish' } });
  await visit(page, 'Menu of the week');
  return { page, made };
}

/** Decides both conflicts in the dashboard, and merges. */
async function decide(tab: Page, look: Watching['look']): Promise<void> {
  await tab.getByText('2 conflicts').waitFor();
  await findLine(tab, 'Ada, rice').click();
  await tab.getByRole('cell', { name: 'fish' }).waitFor();
  await findLine(tab, 'index.html').click();
  await tab.getByText('Menu of the agent').first().waitFor();
  await findLine(tab, 'Cleo, soup').waitFor();
  await look(tab);

  await tab.getByRole('link', { name: 'Merge', exact: true }).first().click();
  await tab.getByText('Choose for 1 conflict first.').waitFor();
  await tab.getByRole('checkbox', { name: /^Records/ }).check();
  await tab.getByText('Choose for 2 conflicts first.').waitFor();
  expect(await findButton(tab, 'Merge').isDisabled()).toBe(true);
  await findLine(tab, 'index.html').getByRole('radio', { name: 'What the branch has' }).check();
  await findLine(tab, 'Ada, rice').getByRole('radio', { name: 'What the page has' }).check();
  await tab.getByText('1 record is added.').waitFor();
  await findButton(tab, 'Merge').and(tab.locator(':enabled')).waitFor();
  await look(tab);
  await findButton(tab, 'Merge').click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByText('Your visitors get the changes at once.').waitFor();
  await look(tab);
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
  await tab.getByRole('heading', { name: 'Merged into the page' }).waitFor();
}

/**
 * An agent breaks a branch while the page stays as it is. A person merges it in the dashboard with a conflicting line and a
 * conflicting record, looks at the result, and undoes it.
 */
export async function breakMergeAndUndo(
  stage: Stage,
  owner: Person,
  tab: Page,
  watching: Watching,
): Promise<void> {
  const menus = createMenus(stage, owner);
  const { look, visit } = watching;
  const { page, made } = await workOnBoth(stage, menus, watching);
  await tab.goto(`${stage.baseUrl}/pages/${made.page.id}/changes`);
  await decide(tab, look);
  expect(await menus.readHtml(page.id)).toBe(menuHtml('Menu of the agent', 'Rice'));
  expect(await menus.readMeals(page.id)).toEqual({ Ada: 'fish', Bob: 'soup', Cleo: 'soup' });
  await visit(page, 'Menu of the agent');
  await look(tab);
  expect(await tab.getByRole('link', { name: 'Look at the page' }).getAttribute('href')).toBe(page.url);

  // The result is still there after a reload, with the way back.
  await tab.reload();
  await findButton(tab, 'Undo').click();
  await tab.getByRole('heading', { name: 'Undone' }).waitFor();
  expect(await menus.readHtml(page.id)).toBe(menuHtml('Menu of the week'));
  expect(await menus.readMeals(page.id)).toEqual({ Ada: 'fish', Bob: 'soup' });
  await visit(page, 'Menu of the week');
  await findButton(tab, 'Continue with the branch').click();
  await tab.getByText('Choose for 1 conflict first.').waitFor();
}
