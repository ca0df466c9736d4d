import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderSizes } from '../../../server/platform/operations/index.ts';
import { startProvider, type TestProvider } from '../../support/accounts/oidc-provider.ts';
import { startVendors, type Vendors } from '../../support/agents/vendors.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { promote } from '../../support/backup.ts';
import { type NpmRegistry, startNpmRegistry } from '../../support/functions/npm-registry.ts';
import { PASSWORD } from '../../support/http/call.ts';
import { startSmtp, type TestSmtp } from '../../support/mail/smtp.ts';

/** What administrators see of the service: its storage, and the services that it uses. */

const KEY = 'secret-key-of-the-operator';
let quire: TestApp;
let bea: TestUser;
let smtp: TestSmtp;
let vendors: Vendors;
let registry: NpmRegistry;
let login: TestProvider;
let bare: TestApp;
let token: string;
let bareToken: string;

const call = (method: string, path: string, body?: object) =>
  quire.call(method, path, { token, ...(body && { body }) });
const tryOut = async (name: string, body?: object) =>
  (await call('POST', `/api/admin/providers/${name}/test`, body)).body;

async function administrator(service: TestApp): Promise<string> {
  await service.user('ada');
  await promote(service, 'ada');
  const body = { username: 'ada', password: PASSWORD, scopes: ['admin'] };
  return (await service.call('POST', '/api/auth/token', { body })).body.accessToken;
}

beforeAll(async () => {
  [smtp, vendors, login] = await Promise.all([
    startSmtp(),
    startVendors(),
    startProvider('http://localhost:3000'),
  ]);
  registry = startNpmRegistry();
  quire = await testApp({
    QUIRE_SMTP_URL: smtp.url,
    QUIRE_MAIL_FROM: 'Quire <quire@example.com>',
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: vendors.urls.chat,
    QUIRE_AI_KEY: KEY,
    QUIRE_AI_MODEL: 'a-model',
    QUIRE_IMAGE_URL: vendors.urls.images,
    QUIRE_IMAGE_KEY: KEY,
    QUIRE_IMAGE_MODEL: 'an-image-model',
    QUIRE_IMAGE_SEARCH: 'openverse',
    QUIRE_IMAGE_SEARCH_URL: vendors.urls.openverse,
    QUIRE_NPM_REGISTRY: registry.url,
    ...login.settings,
  });
  token = await administrator(quire);
  bea = await quire.user('bea');
  bare = await testApp({ QUIRE_NPM_REGISTRY: 'off', QUIRE_CHROMIUM: 'off', QUIRE_IMAGE_SEARCH: 'demo' });
  bareToken = await administrator(bare);
});
afterAll(async () => {
  await Promise.all([quire.stop(), bare.stop()]);
  await Promise.all([smtp.stop(), vendors.stop(), registry.stop(), login.stop()]);
});

test('the storage report says what fills the disk and who stores the most, for a minute', async () => {
  await bea.publish({ html_content: `<!doctype html><p>${'x'.repeat(50_000)}` });
  const { status, body } = await call('GET', '/api/admin/storage');
  expect(status).toBe(200);
  expect(body).toMatchObject({ isComplete: true, bucket: null });
  expect(body.isDatabaseElsewhere).toBe(quire.databaseUrl !== undefined);
  expect(body.parts.database).toBeGreaterThan(50_000);
  expect(body.disk.freeBytes).toBeGreaterThan(0);
  expect(body.users[0]).toMatchObject({ id: bea.id, username: 'bea', pages: 1, functions: 0 });
  expect(body.users[0].storedBytes).toBeGreaterThan(50_000);

  writeFileSync(join(quire.dataFolder, 'large'), Buffer.alloc(100_000));
  expect((await call('GET', '/api/admin/storage')).body).toEqual(body);
  quire.advance(60_001);
  const later = (await call('GET', '/api/admin/storage')).body;
  expect(later.parts.other - body.parts.other).toBeGreaterThanOrEqual(100_000);
});

test('a folder with too many files is not counted to its end', async () => {
  expect(await folderSizes(quire.dataFolder, { maxFiles: 1, maxMs: 10_000 })).toMatchObject({
    isComplete: false,
  });
  expect(await folderSizes(quire.dataFolder, { maxFiles: 100_000, maxMs: 10_000 })).toMatchObject({
    isComplete: true,
  });
});

test('providers are listed with their hosts and without their secrets', async () => {
  const { body } = await call('GET', '/api/admin/providers');
  const states = Object.fromEntries(
    body.providers.map(({ name, state, host }: Record<string, string>) => [name, [state, host]]),
  );
  expect(states).toMatchObject({
    mail: ['configured', new URL(smtp.url).host],
    'single-sign-on': ['configured', expect.any(String)],
    chat: ['configured', new URL(vendors.urls.chat).host],
    images: ['configured', new URL(vendors.urls.images).host],
    'image-search': ['configured', new URL(vendors.urls.openverse).host],
    packages: ['configured', new URL(registry.url).host],
  });
  expect(JSON.stringify(body)).not.toContain(KEY);
  const without = (await bare.call('GET', '/api/admin/providers', { token: bareToken })).body;
  expect(without.providers.map(({ state }: { state: string }) => state)).toEqual([
    ...['off', 'off', 'demo', 'demo', 'demo', 'off', 'off'],
  ]);
});

test.each(['single-sign-on', 'chat', 'images', 'image-search', 'packages'])(
  'a test uses %s for real',
  async (name) => {
    expect(await tryOut(name)).toMatchObject({ isWorking: true, message: expect.stringMatching(/\.$/) });
  },
);

test('the test of mail connects, and sends only if it has an address', async () => {
  expect(await tryOut('mail')).toMatchObject({
    isWorking: true,
    message: expect.stringContaining('No mail was sent.'),
  });
  expect(smtp.mails.map(({ subject }) => subject)).not.toContain('Mail works');
  const sent = await tryOut('mail', { to: 'olga@example.com' });
  expect(sent).toMatchObject({ isWorking: true, message: expect.stringContaining('olga@example.com') });
  expect((await smtp.nextMail('olga@example.com')).subject).toBe('Mail works');
  smtp.behave('refuse');
  const refused = await tryOut('mail', { to: 'olga@example.com' });
  expect(refused).toMatchObject({ isWorking: false, message: expect.stringContaining('550') });
  smtp.behave('accept');
  const { entries } = (await call('GET', '/api/admin/audit?action=provider.test&limit=3')).body;
  expect(entries.map(({ details }: { details: object }) => details)).toEqual([
    { isWorking: false, to: 'olga@example.com' },
    { isWorking: true, to: 'olga@example.com' },
    { isWorking: true },
  ]);
});

test('a provider that fails is reported without what it said', async () => {
  vendors.behave({ status: 500 });
  const { isWorking, message } = await tryOut('chat');
  vendors.behave('well');
  expect(isWorking).toBe(false);
  expect(message).toBe('The provider has a fault of its own. Try again later.');
  expect(message).not.toContain(KEY);
});

test('what is off, unknown or somebody else’s to test is refused', async () => {
  const off = await bare.call('POST', '/api/admin/providers/mail/test', { token: bareToken });
  expect(off.status).toBe(409);
  expect(off.body.error).toContain('QUIRE_SMTP_URL');
  expect(
    (await bare.call('POST', '/api/admin/providers/chat/test', { token: bareToken })).body.isWorking,
  ).toBe(true);
  expect((await call('POST', '/api/admin/providers/telephone/test')).status).toBeOneOf([404, 422]);
  expect((await call('POST', '/api/admin/providers/chat/test', { to: 'olga@example.com' })).status).toBe(400);
  expect((await call('POST', '/api/admin/providers/mail/test', { to: 'a\r\nb@example.com' })).status).toBe(
    400,
  );
  for (const path of ['storage', 'providers']) {
    expect((await bea.call('GET', `/api/admin/${path}`)).status).toBe(403);
  }
  expect((await bea.call('POST', '/api/admin/providers/chat/test')).status).toBe(403);
});
