import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { overflows, seriousFindings } from '../../support/browser/accessibility.ts';
import {
  arriveAtStart,
  closeTabs,
  logIn,
  PASSWORD,
  type Person,
  type Published,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';

/** Invites as people see them, from the link to the page. */

/** The longest possible name, without a place to break it. */
const LONG_NAME = 'Wochenplan'.repeat(20);

let stage: Stage;
let owner: Person;
let page: Published;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olga-join');
  page = await publish('Garden plans');
});
afterEach(closeTabs);

const publish = (name: string, fields = {}) =>
  stage.publish(owner, '<!doctype html><title>Plans</title><p>Plans', {
    name,
    storage_mode: 'team_app',
    ...fields,
  });

async function invite(to: Published, body: Record<string, unknown> = {}): Promise<string> {
  const path = `/api/pages/${to.id}/team/invite`;
  return (await stage.call('POST', path, { body, token: owner.token })).body.inviteUrl;
}

async function fetchRoles(of: Published): Promise<Record<string, string>> {
  const { body } = await stage.call('GET', `/api/pages/${of.id}/team`, { token: owner.token });
  const members: Array<{ user: Person; role: string }> = body.members;
  return Object.fromEntries(members.map(({ user, role }) => [user.username, role]));
}

const shown = (tab: Page) => tab.locator('main').innerText();

test('a person without an account joins a draft with the link', async () => {
  const draft = await publish('A draft', { is_published: false });
  const tab = await stage.enter();
  expect((await tab.goto(draft.url))?.status()).toBe(404);
  await tab.goto(await invite(draft, { role: 'viewer' }));
  const text = await shown(tab);
  expect(text).toContain('A draft');
  expect(text).toContain('a page by olga-join');
  expect(text).toContain('You are invited to join its team as a viewer. You can read the data of the team');
  await tab.getByRole('link', { name: 'Create an account' }).click();
  const person = { username: 'nina-join', email: 'nina-join@example.com', password: PASSWORD };
  for (const [name, value] of Object.entries(person)) await tab.fill(`input[name=${name}]`, value);
  await tab.click('button');
  await tab.getByRole('button', { name: 'Join' }).click();
  await tab.waitForURL(draft.address);
  expect(await tab.textContent('p')).toBe('Plans');
  expect(await fetchRoles(draft)).toEqual({ 'olga-join': 'owner', 'nina-join': 'viewer' });
});

test('a person logs in on the way, joins once, and is greeted the second time', async () => {
  const person = await stage.register('mila');
  const link = await invite(page);
  const tab = await stage.enter();
  await tab.goto(link);
  await tab.getByRole('link', { name: 'Log in' }).click();
  await logIn(tab, person);
  await tab.waitForURL(link);
  expect(await shown(tab)).toContain('You are logged in as mila. Not you?');
  await tab.getByRole('button', { name: 'Join' }).click();
  await tab.waitForURL(page.address);
  await tab.goto(link);
  expect(await shown(tab)).toMatch(/You are a member of the team of Garden plans already/);
  expect(await tab.locator('button').count()).toBe(0);
  await tab.getByText('Open the page').click();
  await tab.waitForURL(page.address);
  await tab.goto(await invite(page, { role: 'admin' }));
  expect(await shown(tab)).toMatch(/You are a member of its team, and are invited to become an admin/);
  await tab.getByRole('button', { name: 'Accept' }).click();
  await tab.waitForURL(page.address);
  expect((await fetchRoles(page)).mila).toBe('admin');
  await tab.goto(link);
  expect(await shown(tab)).toMatch(/You are an admin .* This invite is for a member, which is less/);
});

test('an invite can be postponed, or left to someone else', async () => {
  const [person, other] = [await stage.register('lena-join'), await stage.register('lisa')];
  const link = await invite(page);
  const tab = await stage.enter(person);
  await tab.goto(link);
  await tab.getByRole('link', { name: 'Not now' }).click();
  await arriveAtStart(tab, stage);
  await tab.goto(link);
  await tab.getByRole('link', { name: 'Not you?' }).click();
  await tab.getByRole('button', { name: 'Log out' }).click();
  await tab.getByRole('link', { name: 'Continue' }).click();
  await tab.getByRole('link', { name: 'Log in' }).click();
  await logIn(tab, other);
  await tab.getByRole('button', { name: 'Join' }).click();
  await tab.waitForURL(page.address);
  const roles = await fetchRoles(page);
  expect([roles['lena-join'], roles.lisa]).toEqual([undefined, 'member']);
});

test('an invite that no longer works says so, before and after it was opened', async () => {
  const link = await invite(page, { maxUses: 1 });
  const [late, tab] = [await stage.enter(await stage.register('lotte')), await stage.enter()];
  await late.goto(link);
  const { token } = await stage.register('luise');
  const joined = await stage.call('POST', `/api/join/${link.split('/').at(-1)}`, { body: {}, token });
  expect(joined.status).toBe(200);
  await late.getByRole('button', { name: 'Join' }).click();
  for (const address of [link, `${stage.baseUrl}/join/never-made`])
    expect((await tab.goto(address))?.status()).toBe(404);
  for (const each of [late, tab]) {
    await each.getByRole('heading', { name: 'This invite no longer works' }).waitFor();
    expect(await shown(each)).toContain('Ask for a new one.');
    expect(await seriousFindings(each)).toEqual([]);
  }
  expect((await fetchRoles(page)).lotte).toBeUndefined();
});

test("a published page's script cannot make its visitor join another team", async () => {
  const victim = await stage.register('vera-join');
  const link = await invite(page);
  const code = link.split('/').at(-1);
  const trap = await stage.publish(
    owner,
    `<!doctype html><title>trap</title><form method="post" action="${link}"><button>x</button></form>
<iframe src="${link}"></iframe>`,
  );
  const tab = await stage.enter(victim);
  await tab.goto(trap.address);
  const tried = await tab.evaluate(
    async (paths) => {
      const statuses = paths.map((path) =>
        fetch(path, { method: 'POST', credentials: 'include' }).then(
          ({ status }) => status,
          () => 0,
        ),
      );
      return Promise.all(statuses);
    },
    [link, `${stage.baseUrl}/api/join/${code}`, `/api/join/${code}`, `/join/${code}`],
  );
  expect(tried.filter((status) => status !== 0 && status < 400)).toEqual([]);
  await tab.click('button');
  await tab.waitForURL(link);
  expect(await shown(tab)).toContain('403');
  expect((await fetchRoles(page))['vera-join']).toBeUndefined();
});

test('the invite screen fits a desktop and a phone in light and dark mode', async () => {
  const visitor = await stage.register('eva-join');
  const used = await invite(page, { maxUses: 1 });
  await stage.call('POST', `/api/join/${used.split('/').at(-1)}`, {
    body: {},
    token: (await stage.register('use-join')).token,
  });
  const links = { invite: await invite(page), long: await invite(await publish(LONG_NAME)), used };
  for (const person of [undefined, visitor]) {
    const tab = await stage.enter(person);
    for (const [name, link] of Object.entries(links)) {
      await tab.goto(link);
      expect(await tab.locator('h1').count()).toBe(1);
      expect({ name, overflows: await overflows(tab) }).toEqual({ name, overflows: [] });
    }
  }
});
