import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { APIRequestContext, Page } from 'playwright-core';
import { startProvider, type TestProvider } from '../../support/accounts/oidc-provider.ts';
import { closeTabs, newContext } from '../../support/browser/stage.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { startSmtp, type TestSmtp } from '../../support/mail/smtp.ts';
import { findRemains } from '../../support/privacy/remains.ts';
import { freePort, startServer, type TestServer, untilPrinted, waitUntil } from '../../support/server.ts';

/** A person from their invite to the end of their account, on a fresh server that has only mail and a provider. */

const ADA = 'ada-lovelace';
/** Her first name here, which she changes. */
const OLD_NAME = 'first-programmer';
const ADDRESS = 'countess@school.example';
const SUBJECT = 'subject-of-the-countess';
/** In everything that she makes. */
const SECRET = 'the-engine-weaves-algebraic-patterns';
const PASSWORD = 'a password of her own';

const dataFolder = mkdtempSync(join(tmpdir(), 'quire-journey-'));
let smtp: TestSmtp;
let provider: TestProvider;
let server: TestServer;
let settings: Record<string, string>;
let port: number;

beforeAll(async () => {
  smtp = await startSmtp();
  provider = await startProvider();
  port = await freePort();
  settings = { ...provider.settings, QUIRE_SMTP_URL: smtp.url };
  server = await startServer({ port, dataFolder, settings });
  provider.serve(server.baseUrl);
  provider.add(SUBJECT, { email: ADDRESS, email_verified: true, preferred_username: 'Ada Lovelace' });
});
afterEach(closeTabs);
afterAll(async () => {
  await server.stop();
  await provider.stop();
  await smtp.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

test('takes a person from an invite to a deleted account, and keeps nothing of them', async () => {
  const admin = await becomeAdministrator();
  await inviteAda(admin.request);
  const ada = await (await newContext()).newPage();
  await registerWithProvider(ada);
  const userId = await makeThings(ada, admin);
  await addPasskey(ada);
  await logInWithPasskey(ada);
  await forgetPassword(ada);
  await deleteAccount(ada);

  // Seven days later.
  const printed = server.output();
  await server.stop();
  await runSql(place(), `UPDATE users SET removal_due_at = 1 WHERE id = ${userId}`);
  server = await startServer({ port, dataFolder, settings });
  await untilPrinted(server, 'an account was deleted');
  await waitUntil(async () => (await readSql(place(), 'SELECT 1 FROM blob_trash')).length === 0);
  await server.stop();
  const traces = [ADA, OLD_NAME, ADDRESS, SUBJECT, SECRET];
  expect(await findRemains(place(), { texts: traces, userId })).toEqual([]);
  for (const text of traces) expect(printed + server.output()).not.toContain(text);
  const audit = await readSql<{ action: string }>(
    place(),
    `SELECT action FROM audit_entries WHERE target_name = '${ADA}' ORDER BY id`,
  );
  expect(audit.map(({ action }) => action)).toContain('user.remove');
  server = await startServer({ port, dataFolder, settings });
}, 300_000);

const place = () => ({ dataFolder, databaseUrl: undefined });

/** Uses the link that the server prints, as operators do. */
async function becomeAdministrator(): Promise<{ page: Page; request: APIRequestContext }> {
  const link = await untilPrinted(server, /(http\S+\/setup\?code=\S+)/);
  const context = await newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.getByLabel('Username').fill('operator');
  await page.getByLabel('E-mail').fill('operator@school.example');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Become administrator' }).click();
  await page.getByRole('heading', { name: 'You are now an administrator' }).waitFor();
  return { page, request: context.request };
}

/** A token for the API, from the login of a browser. */
async function fetchToken(request: APIRequestContext): Promise<Record<string, string>> {
  const response = await request.post(`${server.baseUrl}/api/auth/session-token`);
  return { authorization: `Bearer ${(await response.json()).accessToken}` };
}

async function inviteAda(request: APIRequestContext): Promise<void> {
  const headers = await fetchToken(request);
  const mode = await request.put(`${server.baseUrl}/api/admin/registration`, {
    headers,
    data: { mode: 'invite' },
  });
  expect(mode.status()).toBe(200);
  const data = { email: ADDRESS, note: 'Welcome' };
  const invite = await request.post(`${server.baseUrl}/api/admin/invites`, { headers, data });
  expect(invite.status()).toBe(201);
}

async function registerWithProvider(tab: Page): Promise<void> {
  // Without the invite there is no way in.
  await tab.goto(`${server.baseUrl}/register`);
  await tab.getByRole('heading', { name: 'Registration is by invite' }).waitFor();
  const mail = await smtp.nextMail(ADDRESS, /invite/i);
  await tab.goto(mail.links.find((link) => link.includes('/register')) ?? '');
  await tab.getByRole('link', { name: 'Continue with School ID' }).click();
  await tab.locator('[name=login]').fill(SUBJECT);
  await tab.locator('[name=password]').fill('any');
  await tab.locator('[type=submit]').click();
  await tab.getByRole('button', { name: 'Continue' }).click();
  await tab.getByRole('heading', { name: 'Choose a username' }).waitFor();
  expect(await tab.getByLabel('Username').inputValue()).toBe(ADA);
  await tab.getByLabel('Username').fill(OLD_NAME);
  await tab.getByRole('button', { name: 'Create account' }).click();
  await tab.locator('.who').getByText(OLD_NAME).waitFor();
}

/** Fills everything that keeps something of a person. Returns her id. */
async function makeThings(tab: Page, admin: { request: APIRequestContext }): Promise<number> {
  const { request } = tab.context();
  let hers: Record<string, string> = {};
  const call = async (method: 'POST' | 'PUT', path: string, data: unknown, headers = hers) => {
    const response = await request.fetch(server.baseUrl + path, { method, headers, data });
    if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
    return response.status() === 204 ? {} : response.json();
  };
  await call('POST', '/api/auth/username', { username: ADA });
  hers = await fetchToken(request);
  const { page } = await call('POST', '/api/pages', {
    name: SECRET,
    html_content: `<title>${SECRET}</title><form data-quire-form="contact"><input name="a"></form>`,
    storage_mode: 'social_app',
  });
  await call('PUT', `/api/pages/${page.id}/files/notes.txt`, SECRET);
  await call('POST', `/api/pages/${page.id}/social-data/notes`, { data: { text: SECRET } });
  await call('POST', `/api/pages/${page.id}/messages`, { role: 'user', content: SECRET });
  const code = `export default { async fetch(request, env) {
    await env.DB.exec('CREATE TABLE notes (text TEXT)');
    await env.DB.prepare('INSERT INTO notes VALUES (?)').bind(await request.text()).run();
    console.log('${SECRET}');
    return Response.json({ success: true, data: {} });
  } };`;
  await call('POST', '/api/functions', { slug: 'weave', code, enableDatabase: true });
  await call('PUT', '/api/functions/weave/secrets/KEY', { value: SECRET });
  await call('POST', '/api/functions/weave', SECRET);
  await call('POST', '/api/auth/tokens', { name: SECRET, scopes: ['pages:read'] });
  // On the page of somebody else, her name is not left either.
  const theirs = await fetchToken(admin.request);
  const shared = { name: 'Guestbook', html_content: '<p>', storage_mode: 'social_app' };
  const { page: guestbook } = await call('POST', '/api/pages', shared, theirs);
  await call('POST', `/api/pages/${guestbook.id}/social-data/greetings`, { data: { text: 'Hello' } });
  const forPeople = {
    name: 'For you',
    html_content: '<p>',
    access: { mode: 'people', people: [ADA, ADDRESS] },
  };
  await call('POST', '/api/pages', forPeople, theirs);
  await smtp.nextMail(ADDRESS, /shared/);
  const forTeam = { name: 'Team', html_content: '<p>', storage_mode: 'team_app' };
  const { page: team } = await call('POST', '/api/pages', forTeam, theirs);
  const { inviteCode } = await call('POST', `/api/pages/${team.id}/team/invite`, { role: 'member' }, theirs);
  await call('POST', `/api/join/${inviteCode}`, {});
  await call('POST', `/api/pages/${team.id}/team-data/notes`, { data: { text: 'Hello' } });
  const me = await request.get(`${server.baseUrl}/api/auth/me`);
  return (await me.json()).user.id;
}

/** An authenticator in the tab that confirms every request. */
async function addPasskey(tab: Page): Promise<void> {
  await tab.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
  const session = await tab.context().newCDPSession(tab);
  await session.send('WebAuthn.enable', { enableUI: false });
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await tab.goto(`${server.baseUrl}/account/security`);
  await tab.getByRole('button', { name: 'Add a passkey' }).click();
  await tab.getByRole('status').getByText('Added the passkey').waitFor();
  await smtp.nextMail(ADDRESS, /passkey/);
}

async function logOut(tab: Page): Promise<void> {
  await tab.goto(`${server.baseUrl}/logout`);
  await tab.getByRole('button', { name: 'Log out' }).click();
  await tab.getByRole('heading', { name: 'You are logged out' }).waitFor();
}

async function logInWithPasskey(tab: Page): Promise<void> {
  await logOut(tab);
  await tab.goto(`${server.baseUrl}/login`);
  await tab.getByRole('button', { name: 'Log in with a passkey' }).click();
  await tab.locator('.who').getByText(ADA).waitFor();
}

/** She has none yet, which is the same to her. */
async function forgetPassword(tab: Page): Promise<void> {
  await logOut(tab);
  await tab.goto(`${server.baseUrl}/login`);
  await tab.getByRole('link', { name: 'Forgot your password?' }).click();
  await tab.getByLabel('Username or e-mail').fill(ADDRESS);
  await tab.getByRole('button', { name: 'Send the link' }).click();
  const mail = await smtp.nextMail(ADDRESS, /password/i);
  await tab.goto(mail.links.find((link) => link.includes('/reset')) ?? '');
  await tab.getByLabel('New password').fill(PASSWORD);
  await tab.getByRole('button', { name: 'Set the password' }).click();
  await tab.locator('.who').getByText(ADA).waitFor();
  await logOut(tab);
  await tab.goto(`${server.baseUrl}/login`);
  await tab.getByLabel('Username or e-mail').fill(ADA);
  await tab.getByLabel('Password').fill(PASSWORD);
  await tab.getByRole('button', { name: 'Log in', exact: true }).click();
  await tab.locator('.who').getByText(ADA).waitFor();
}

async function deleteAccount(tab: Page): Promise<void> {
  await tab.goto(`${server.baseUrl}/account/your-data`);
  await tab.getByRole('button', { name: 'Delete account' }).click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByLabel(`Type ${ADA} to confirm`).fill(ADA);
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await tab.waitForURL(`${server.baseUrl}/login`);
  await smtp.nextMail(ADDRESS, /delet/i);
  // Single sign-on leads to the same question as every other way in.
  await tab.getByRole('link', { name: 'Continue with School ID' }).click();
  await tab.getByRole('heading', { name: 'Keep your account?' }).waitFor();
  await tab.getByRole('button', { name: 'Log out' }).click();
}
