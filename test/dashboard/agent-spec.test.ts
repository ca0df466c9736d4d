import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectReadable, overflow, watchComplaints } from '../support/browser/accessibility.ts';
import { closeTabs, type Person, type Published, type Stage, sharedStage } from '../support/browser/stage.ts';

/** The agent spec of a page in the dashboard. */

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olga-spec');
});
afterEach(closeTabs);

const publish = (storage_mode: string, fields = {}) =>
  stage.publish(owner, '<!doctype html><title>Plans</title>', {
    name: 'Garden plans',
    storage_mode,
    ...fields,
  });

const toAddress = (page: Published) => `/api/pages/${page.slug}/agent-spec`;
const read = async (page: Published) => (await stage.call('GET', toAddress(page))).body;
const button = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true });
const editor = (tab: Page) => tab.getByLabel('Agent spec', { exact: true });

async function open(page: Published): Promise<Page> {
  const tab = await stage.reuse(owner);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/agent-spec`);
  await editor(tab).waitFor();
  return tab;
}

test('a spec can be started from the template, saved, changed and deleted', async () => {
  const page = await publish('page');
  const tab = await open(page);
  await tab.getByText('Not saved yet.').waitFor();
  await tab.getByText(`${stage.baseUrl}${toAddress(page)}`).waitFor();
  expect(await button(tab, 'Save').isDisabled()).toBe(true);
  await button(tab, 'Start from a template').click();
  await tab.getByText('You have unsaved changes.').waitFor();
  await button(tab, 'Save').click();
  await tab.getByText('Agent spec saved.').waitFor();
  expect((await read(page)).spec).toStartWith('# Garden plans\n');

  await editor(tab).fill('Ask first. 🌱');
  await tab.getByText('12 of 50,000 characters').waitFor();
  await editor(tab).press('Control+s');
  await tab.getByText('You have unsaved changes.').waitFor({ state: 'detached' });
  await tab.reload();
  await tab.getByText('Ask first. 🌱').waitFor();
  expect((await read(page)).spec).toBe('Ask first. 🌱');

  await button(tab, 'Delete').click();
  const dialog = tab.getByRole('dialog');
  expect(await dialog.getByRole('button', { name: 'Delete permanently' }).isDisabled()).toBe(true);
  await dialog.getByLabel(/^Type/).fill(page.slug);
  await dialog.getByRole('button', { name: 'Delete permanently' }).click();
  await tab.getByText('Not saved yet.').waitFor();
  expect((await read(page)).spec).toBeNull();
});

test('a spec can have 50,000 characters and not one more, and a refusal loses nothing', async () => {
  const page = await publish('page');
  const tab = await open(page);
  await editor(tab).fill('x'.repeat(50_001));
  await tab.getByText('50,001 of 50,000 characters: 1 too many').waitFor();
  expect(await button(tab, 'Save').isDisabled()).toBe(true);
  // The keyboard shortcut works even if the button is disabled: then the service refuses.
  await editor(tab).press('Control+s');
  await tab.getByText('must have at most 50,000 characters').waitFor();
  expect((await read(page)).spec).toBeNull();
  await editor(tab).fill('x'.repeat(50_000));
  await button(tab, 'Save').click();
  await tab.getByText('Agent spec saved.').waitFor();
  expect((await read(page)).spec.length).toBe(50_000);
});

test('leaving with unsaved text asks first, also on the way back', async () => {
  const page = await publish('page');
  const tab = await open(page);
  const visit = (name: string) => tab.getByRole('link', { name, exact: true }).click();
  const dialog = tab.getByRole('dialog', { name: 'Discard your changes?' });
  const choose = (name: string) => dialog.getByRole('button', { name }).click();
  const stay = async () => {
    await choose('Keep editing');
    await dialog.waitFor({ state: 'detached' });
    expect(await editor(tab).innerText()).toContain('half a thought');
    expect(tab.url()).toEndWith('/agent-spec');
  };
  const native: string[] = [];
  tab.on('dialog', (asked) => {
    native.push(asked.message());
    void asked.dismiss();
  });
  await visit('Data');
  await tab.waitForURL('**/data');
  await visit('Agent spec');
  await editor(tab).fill('half a thought');
  await visit('Data');
  await dialog.getByText('You have unsaved changes.').waitFor();
  await stay();
  await tab.evaluate('history.back()');
  await dialog.waitFor();
  await stay();
  await tab.evaluate('history.back()');
  await choose('Discard');
  await tab.waitForURL('**/data');
  await dialog.waitFor({ state: 'detached' });
  await visit('Agent spec');
  expect(await editor(tab).innerText()).not.toContain('half a thought');
  await editor(tab).fill('half a thought');
  await visit('Data');
  await choose('Discard');
  await tab.waitForURL('**/data');
  expect(native).toEqual([]);
  expect((await read(page)).spec).toBeNull();
});

test('shows what else agents get, also for a draft', async () => {
  const page = await publish('team_app', { is_published: false });
  const tab = await open(page);
  await tab.getByText('You can add schemas in the Data tab.').waitFor();
  const path = `/api/pages/${page.id}/team-data/tasks/schema`;
  const schema = { fields: { title: { type: 'string' } } };
  await stage.call('PUT', path, { body: { schema }, token: owner.token });
  await tab.reload();
  await tab.getByText('tasks', { exact: true }).click();
  expect(JSON.parse((await tab.locator('.spec-besides pre').textContent()) ?? '')).toEqual(schema);
  await tab.locator('.spec-besides').getByText('team_app').waitFor();
});

test('the screen is readable in light and dark mode, and fits a phone', async () => {
  const page = await publish('team_app');
  const spec = `# ${'Wochenplan'.repeat(30)}\n\n- one`;
  await stage.call('PUT', `/api/pages/${page.id}/agent-spec`, { body: { spec }, token: owner.token });
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/agent-spec`);
  await editor(tab).waitFor();
  await expectReadable(tab);
  await tab.setViewportSize({ width: 390, height: 844 });
  expect(await overflow(tab)).toBe(0);
  await button(tab, 'Delete').click();
  await expectReadable(tab);
  expect(complaints).toEqual([]);
});

test('functions for agents can be added, described, refused and removed', async () => {
  const deployed = await stage.call('POST', '/api/functions', {
    token: owner.token,
    body: { slug: 'water-plan', code: "export default { fetch: () => new Response('ok') }" },
  });
  expect(deployed.status).toBe(201);
  const page = await publish('page');
  const fetchFunctions = async () =>
    (await stage.call('GET', `/api/pages/${page.id}`, { token: owner.token })).body.page.agent_functions;
  const tab = await open(page);
  await tab.getByText(`${stage.baseUrl}/p/${page.slug}/mcp`).waitFor();
  expect(await button(tab, 'Save functions').isDisabled()).toBe(true);
  await tab.getByLabel('Function', { exact: true }).selectOption('water-plan');
  await button(tab, 'Add').click();
  await tab.getByLabel('Description').fill('Says when to water.');
  const schema = tab.getByLabel('Input as JSON Schema');
  await schema.fill('{ "type": ');
  await tab.getByText('This is not JSON').waitFor();
  expect(await button(tab, 'Save functions').isDisabled()).toBe(true);
  await schema.fill('{ "type": "object", "$ref": "https://example.com" }');
  await button(tab, 'Save functions').click();
  await tab.getByText('has the unknown word "$ref"').waitFor();
  expect(await fetchFunctions()).toEqual([]);
  await schema.fill('{ "type": "object", "properties": { "plant": { "type": "string" } } }');
  await expectReadable(tab);
  expect(await overflow(tab)).toBe(0);
  await button(tab, 'Save functions').click();
  await tab.getByText('Functions for agents saved.').waitFor();
  expect(await fetchFunctions()).toEqual([
    {
      slug: 'water-plan',
      description: 'Says when to water.',
      inputSchema: { type: 'object', properties: { plant: { type: 'string' } } },
    },
  ]);
  await tab.locator('button:disabled', { hasText: 'Save functions' }).waitFor();
  await button(tab, 'Remove water-plan').click();
  // The button is disabled while it saves, too.
  const saved = tab.waitForResponse((response) => response.request().method() === 'PATCH');
  await button(tab, 'Save functions').click();
  expect((await saved).ok()).toBe(true);
  await tab.locator('button:disabled', { hasText: 'Save functions' }).waitFor();
  expect(await fetchFunctions()).toEqual([]);
});
