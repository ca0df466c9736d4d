import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectUsable } from '../dashboard/pages/publish.ts';
import { collectComplaints } from '../support/browser/accessibility.ts';
import { closeTabs, logIn, type Person, type Stage, sharedStage } from '../support/browser/stage.ts';
import { authorizeQuery, pkce } from '../support/oauth.ts';

/** How people connect apps in a real browser, and how a hostile page tries to do it for them. */

let stage: Stage;
let person: Person;
let app: ReturnType<typeof Bun.serve>;
let elsewhere: ReturnType<typeof Bun.serve>;
let clientId: string;

beforeAll(async () => {
  stage = await sharedStage('origin');
  person = await stage.register('paula-oauth');
  const html = (text: string) => new Response(`<!doctype html><title>${text}</title><h1>${text}</h1>`, HTML);
  elsewhere = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => html('Signed in') });
  // Many apps redirect again after they have got the code.
  app = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) =>
      new URL(url).pathname === '/again'
        ? Response.redirect(`http://localhost:${elsewhere.port}/${new URL(url).search}`)
        : html('Welcome back'),
  });
  clientId = await register('My <b>agent</b>');
});
afterAll(async () => {
  await app.stop(true);
  await elsewhere.stop(true);
});
afterEach(closeTabs);

const HTML = { headers: { 'content-type': 'text/html; charset=utf-8' } };

async function register(client_name: string): Promise<string> {
  const body = { client_name, redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1/again'] };
  return (await stage.call('POST', '/oauth/register', { body })).body.client_id;
}

function request(path = '/callback', more: Record<string, string> = {}) {
  const keys = pkce();
  const redirect_uri = `http://127.0.0.1:${app.port}${path}`;
  const query = authorizeQuery({ client_id: clientId, redirect_uri, challenge: keys.challenge, more });
  return { ...keys, url: `${stage.baseUrl}/oauth/authorize?${query}` };
}

async function exchange(tab: Page, verifier: string) {
  const { searchParams } = new URL(tab.url());
  expect(searchParams.get('iss')).toBe(stage.baseUrl);
  expect(searchParams.get('state')).toBe('a state');
  const code = searchParams.get('code') ?? '';
  const body = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier };
  return stage.call('POST', '/oauth/token', { body });
}

const allow = (tab: Page) => tab.getByRole('button', { name: 'Allow', exact: true }).click();
const confirm = (tab: Page) => tab.getByLabel('I know this app and want to connect it.').check();
const fetchApps = async (of: Person) =>
  (await stage.call('GET', '/api/auth/apps', { token: of.token })).body.apps;

describe('the consent screen', () => {
  test('leads from the login to the app, with what was ticked', async () => {
    const { url, verifier } = request();
    const tab = await stage.enter();
    const complaints = collectComplaints(tab);
    await tab.goto(url);
    await logIn(tab, person);
    await tab.getByRole('heading', { name: 'Connect this app?' }).waitFor();
    const text = await tab.locator('main').innerText();
    expect(text).toContain('My <b>agent</b>');
    expect(text).toContain('Nobody has checked it.');
    expect(text).toContain(`You then return to a program on your computer (127.0.0.1:${app.port}).`);
    expect(text).toContain('You are logged in as paula-oauth.');
    expect(await tab.getByRole('radio', { checked: true }).count()).toBe(0);
    await tab.getByText('Details', { exact: true }).click();
    // The permissions are a list to read, until the person chooses them one by one.
    expect(await tab.getByLabel('Read public data').isVisible()).toBe(false);
    await tab.getByLabel('Only what I tick').check();
    for (const box of await tab.getByRole('checkbox', { checked: true }).all())
      expect(await box.getAttribute('value')).toEndWith(':read');
    await tab.getByLabel(/^Publish, edit and delete pages/).check();
    await tab.getByLabel('Read public data').uncheck();
    await confirm(tab);
    await allow(tab);
    await tab.getByRole('heading', { name: 'Welcome back' }).waitFor();
    const { status, body } = await exchange(tab, verifier);
    expect(status).toBe(200);
    expect(body.scope).toContain('pages:write');
    expect(body.scope).not.toContain('social-data:read');
    const page = { name: 'By an agent', html_content: '<p>Hi' };
    expect((await stage.call('POST', '/api/pages', { token: body.access_token, body: page })).status).toBe(
      201,
    );
    expect(complaints).toEqual([]);
  });

  test('also lets the app redirect to another site afterwards', async () => {
    const tab = await stage.enter(person);
    await tab.goto(request('/again').url);
    await tab.getByLabel('Everything except account and admin').check();
    await confirm(tab);
    await allow(tab);
    await tab.getByRole('heading', { name: 'Signed in' }).waitFor();
  });

  test('gives nothing to a single click, and nothing if it is declined', async () => {
    const before = (await fetchApps(person)).length;
    const tab = await stage.enter(person);
    const { url } = request();
    await tab.goto(url);
    await allow(tab);
    expect(await tab.locator('[name=preset]:invalid').count()).toBe(4);
    await tab.getByLabel('Build pages and functions').check();
    await allow(tab);
    expect(await tab.locator('[name=sure]:invalid').count()).toBe(1);
    expect(tab.url()).toBe(url);
    // A browser that does not validate.
    await tab.evaluate('document.forms[0].noValidate = true');
    await allow(tab);
    await tab.getByRole('alert').getByText('Confirm that you know this app.').waitFor();
    expect(await tab.getByLabel('Build pages and functions').isChecked()).toBe(true);
    await tab.getByRole('button', { name: 'Do not allow' }).click();
    await tab.getByRole('heading', { name: 'Welcome back' }).waitFor();
    expect(new URL(tab.url()).searchParams.get('error')).toBe('access_denied');
    expect(await fetchApps(person)).toHaveLength(before);
  });

  test('cannot be shown in a frame of a published page', async () => {
    const owner = await stage.register('otto-oauth');
    const page = await stage.publish(
      owner,
      `<!doctype html><title>t</title><iframe src="${request().url}"></iframe>`,
    );
    const tab = await stage.enter(person);
    await tab.goto(page.address);
    const frame = await (await tab.waitForSelector('iframe')).contentFrame();
    await frame?.waitForURL('chrome-error://chromewebdata/');
    expect(await frame?.locator('form').count()).toBe(0);
  });

  test('is not answered by a form of a published page', async () => {
    const before = (await fetchApps(person)).length;
    const owner = await stage.register('olaf-oauth');
    const action = `${stage.baseUrl}/oauth/authorize`;
    const html = `<!doctype html><title>t</title><form method="post" action="${action}"><input name="about" value="${new URL(request().url).search.slice(1).replaceAll('&', '&amp;')}"><input name="answer" value="allow"><button>Win a prize</button></form>`;
    const page = await stage.publish(owner, html);
    const tab = await stage.enter(person);
    await tab.goto(page.address);
    await tab.getByRole('button', { name: 'Win a prize' }).click();
    await tab.getByRole('heading', { name: 'Not allowed' }).waitFor();
    expect(await fetchApps(person)).toHaveLength(before);
  });

  test('is readable on a phone and a desk, in light and dark mode, also with errors', async () => {
    clientId = await register('Wochenplanverwaltungsagent'.repeat(3));
    const tab = await stage.enter(person);
    await tab.goto(request().url);
    await expectUsable(tab);
    await tab.getByText('Details', { exact: true }).click();
    await expectUsable(tab);
    await tab.getByLabel('Only what I tick').check();
    await expectUsable(tab);
    await tab.evaluate('document.forms[0].noValidate = true');
    await allow(tab);
    await tab.getByRole('alert').waitFor();
    await expectUsable(tab);
    await tab.goto(request('/callback', { code_challenge_method: 'plain' }).url);
    await tab.getByRole('heading', { name: 'This app cannot be connected' }).waitFor();
    await tab.getByRole('link', { name: 'Return to a program on your computer' }).waitFor();
    await expectUsable(tab);
  });
});

test('a person types the code of a program, and allows it', async () => {
  const { body } = await stage.call('POST', '/oauth/device_authorization', {
    body: { client_id: 'quire-cli' },
  });
  const tab = await stage.enter();
  await tab.goto(body.verification_uri);
  await logIn(tab, person);
  await tab.getByLabel('Code', { exact: true }).fill('BBBB-BBBB');
  await tab.getByRole('button', { name: 'Continue' }).click();
  await tab.getByRole('alert').getByText('This code is wrong').waitFor();
  await expectUsable(tab);
  await tab.getByLabel('Code', { exact: true }).fill(body.user_code.toLowerCase());
  await tab.getByRole('button', { name: 'Continue' }).click();
  await tab.getByText('Only allow this if you started the program yourself').waitFor();
  await expectUsable(tab);
  await tab.getByLabel('Build pages and functions').check();
  await confirm(tab);
  await allow(tab);
  await tab.getByRole('heading', { name: 'Connected' }).waitFor();
  await expectUsable(tab);
  const form = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', client_id: 'quire-cli' };
  const answer = await stage.call('POST', '/oauth/token', {
    body: { ...form, device_code: body.device_code },
  });
  expect(answer.status).toBe(200);
  expect(answer.body.scope.split(' ').filter((scope: string) => scope.endsWith(':write'))).toEqual([
    'pages:write',
    'functions:write',
  ]);
});

test('connected apps are listed with what they can do, and can be disconnected', async () => {
  const owner = await stage.register('olga-apps');
  const tab = await stage.enter(owner);
  await tab.goto(`${stage.baseUrl}/account/apps`);
  await tab.getByRole('heading', { name: 'No connected apps' }).waitFor();
  await expectUsable(tab);
  clientId = await register('<i>Agent</i> \u202eX');
  const { url, verifier } = request();
  await tab.goto(url);
  await tab.getByLabel('Look', { exact: false }).first().check();
  await confirm(tab);
  await allow(tab);
  await tab.getByRole('heading', { name: 'Welcome back' }).waitFor();
  const { access_token } = (await exchange(tab, verifier)).body;
  await tab.goto(`${stage.baseUrl}/account/apps`);
  const row = tab.getByRole('row').filter({ hasText: '<i>Agent</i> X' });
  await row.getByText('Read your pages').waitFor();
  await row.getByText('name not checked').waitFor();
  await expectUsable(tab);
  await row.getByRole('button', { name: 'Disconnect' }).click();
  await expectUsable(tab);
  await tab.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await tab.getByRole('heading', { name: 'No connected apps' }).waitFor();
  expect((await stage.call('GET', '/api/pages', { token: access_token })).status).toBe(401);
});
