import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectReadable, overflows, watchComplaints } from '../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../support/browser/stage.ts';

/** The screen on which people connect an agent. */

let stage: Stage;
beforeAll(async () => {
  stage = await sharedStage('origin');
});
afterEach(closeTabs);

async function open(person: Person, path = '/connect'): Promise<Page> {
  const tab = await stage.enter(person);
  await tab.goto(stage.baseUrl + path);
  await tab.getByRole('heading', { name: 'Connect an agent' }).waitFor();
  return tab;
}

test('has the URL to copy, and exact steps for each agent', async () => {
  const tab = await open(await stage.register('una-connect'));
  const complaints = watchComplaints(tab);
  const url = `${stage.baseUrl}/mcp`;
  await tab.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await tab.getByRole('button', { name: 'Copy url' }).click();
  expect(await tab.evaluate('navigator.clipboard.readText()')).toBe(url);
  // This server is not on the internet.
  await tab.getByText(/Claude runs on the internet and cannot reach/).waitFor();
  for (const [client, text] of [
    ['Claude Code', `claude mcp add --transport http quire ${url}`],
    ['Cursor', `"url": "${url}"`],
    ['VS Code', `code --add-mcp '{"name":"quire","type":"http","url":"${url}"}'`],
  ] as const) {
    await tab.getByRole('button', { name: client, exact: true }).press('Enter');
    await tab.locator('.connect-steps').getByText(text).waitFor();
  }
  await expectReadable(tab);
  expect(await overflows(tab)).toEqual([]);
  await tab.getByRole('link', { name: 'Command line' }).press('Enter');
  await tab.getByText(`quire login ${stage.baseUrl}`).waitFor();
  await expectReadable(tab);
  expect(complaints).toEqual([]);
});

test('makes a token with few scopes, shows it once, and says within seconds when an agent uses it', async () => {
  const tab = await open(await stage.register('ulla-connect'), '/connect/token');
  await tab.getByText('Waiting for your agent').waitFor();
  await tab.getByText('Nothing is connected yet').waitFor();
  await expectReadable(tab);
  await tab.getByLabel('Read only').check();
  await tab.getByLabel('Name', { exact: true }).fill('Reader');
  await tab.getByRole('button', { name: 'Create token' }).click();
  const token = (await tab.locator('.connect-snippet.main code').textContent()) ?? '';
  expect(token).toStartWith('qr_');
  const settings = JSON.parse((await tab.locator('.connect-snippet code').nth(1).textContent()) ?? '');
  expect(settings.mcpServers.quire).toEqual({
    type: 'http',
    url: `${stage.baseUrl}/mcp`,
    headers: { Authorization: `Bearer ${token}` },
  });
  await expectReadable(tab);
  expect(await overflows(tab)).toEqual([]);
  const list = tab.locator('.connect-list');
  await list.getByText('Never used').waitFor();

  expect((await stage.call('GET', '/api/pages', { token })).status).toBe(200);
  await tab.getByRole('status').getByText('Reader is connected.').waitFor();
  await list.getByText(/Last used/).waitFor();
  const body = { name: 'x', html_content: '<p>x' };
  expect((await stage.call('POST', '/api/pages', { token, body })).status).toBe(403);

  await tab.getByRole('button', { name: 'Revoke Reader' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await tab.getByText('Nothing is connected yet').waitFor();
  expect((await stage.call('GET', '/api/pages', { token })).status).toBe(401);
  await tab.reload();
  await tab.getByRole('heading', { name: 'Make a token' }).waitFor();
  expect(await tab.getByText(token).count()).toBe(0);
});

test('lists an app that was allowed meanwhile, and disconnects it', async () => {
  const person = await stage.register('ute-connect');
  const tab = await open(person);
  await tab.getByText('Nothing is connected yet').waitFor();
  const form = (fields: Record<string, string>) => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
  const registered = await stage.call('POST', '/oauth/register', {
    body: {
      client_name: 'Helper',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
    },
  });
  const client_id = registered.body.client_id as string;
  const asked = await fetch(
    `${stage.baseUrl}/oauth/device_authorization`,
    form({ client_id, scope: 'pages:read' }),
  );
  const { user_code, device_code } = (await asked.json()) as { user_code: string; device_code: string };
  const consent = await tab.context().newPage();
  await consent.goto(`${stage.baseUrl}/device?user_code=${user_code}`);
  await consent.getByRole('button', { name: 'Continue' }).click();
  await consent.getByLabel('I know this app').check();
  await consent.getByRole('button', { name: 'Allow', exact: true }).click();
  await consent.getByText('You can close this tab').waitFor();
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const exchanged = await fetch(`${stage.baseUrl}/oauth/token`, form({ client_id, grant_type, device_code }));
  expect(exchanged.status).toBe(200);

  await tab.bringToFront();
  await tab.getByRole('status').getByText('Helper is connected.').waitFor();
  await tab.getByText('One permission').click();
  await tab.getByText('Read your pages and the messages from their forms').waitFor();
  await expectReadable(tab);
  await tab.getByRole('button', { name: 'Disconnect Helper' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await tab.getByText('Disconnected Helper.').waitFor();
  await tab.getByText('Nothing is connected yet').waitFor();
});

test('says what went wrong, and keeps the steps', async () => {
  const tab = await stage.enter(await stage.register('udo-connect'));
  const answer = { status: 500, json: { error: 'Something went wrong.', code: 'INTERNAL' } };
  await tab.route('**/api/auth/apps', (route) => route.fulfill(answer));
  await tab.goto(`${stage.baseUrl}/connect`);
  await tab.getByText('The connections cannot be checked at the moment.').waitFor();
  await tab.getByRole('alert').getByText('Something went wrong.').waitFor();
  await tab.getByText(`${stage.baseUrl}/mcp`).first().waitFor();
  await tab.unroute('**/api/auth/apps');
  await tab.getByText('Nothing is connected yet').waitFor();
  await tab.goto(`${stage.baseUrl}/connect/nowhere`);
  await tab.getByText('Not found').waitFor();
});
