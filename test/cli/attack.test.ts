import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, publish, register } from '../support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

/** `quire pages attack`. */

const ORDERS =
  "<!doctype html><title>Shop</title><p>Shop<script>window.order = (product, email) => SocialData.create('orders', { product, email });</script>";

let server: TestServer;
let owner: Account;
let shell: Shell;

beforeAll(async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent' } });
  owner = await register(server, 'cli-attack');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: owner.token });
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

const attack = (...args: string[]) => shell.run(['pages', 'attack', ...args]);
const ask = async (method: string, path: string, body?: object) => {
  const answer = await call(server, method, path, { token: owner.token, ...(body && { body }) });
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.body;
};
const closeRules = (id: number) =>
  ask('PUT', `/api/pages/${id}/social-data/orders/schema`, {
    schema: { fields: {}, rules: { read: 'author', update: 'author', delete: 'author' } },
  });

test('prints what is serious with its proof, and ends with 1 until somebody says that it is meant so', async () => {
  const page = await publish(server, owner.token, {
    ...{ name: 'Open shop', html_content: ORDERS, storage_mode: 'social_app' },
  });
  const never = await attack(page.slug, '--last');
  expect([never.code, never.stdout]).toEqual([0, 'This page was never attacked.\n']);
  const found = await attack(page.slug);
  expect(found.code).toBe(1);
  expect(found.stdout).toMatch(/^version 1, attacked \d{4}-\d\d-\d\d \d\d:\d\d UTC\nhigh: /);
  expect(found.stdout).toContain('Others can read the email of everyone in orders');
  expect(found.stdout).toMatch(/\n {2}GET \/api\/pages\/\d+\/social-data\/orders.*\n {2}-> 200 /);
  const last = await shell.run(['pages', 'attack', page.slug, '--last', '--json']);
  expect(last.code).toBe(1);
  const [finding] = last.json().findings;
  await ask('PUT', `/api/pages/${page.id}/attack/meant/${finding.key}`);
  const meant = await attack(page.slug, '--last');
  expect([meant.code, meant.stdout]).toEqual([0, expect.stringContaining('\nmeant so: Others can read')]);
});

test('attacks a branch, and ends with 0 if nothing was found', async () => {
  const page = await publish(server, owner.token, {
    ...{ name: 'Closed shop', html_content: ORDERS, storage_mode: 'social_app' },
  });
  await closeRules(page.id);
  const closed = await attack(page.slug);
  expect([closed.code, closed.stdout]).toEqual([0, expect.stringContaining('Nothing was found.')]);
  const branches = `/api/pages/${page.id}/branches`;
  const { page: branch } = await ask('POST', branches, { name: 'open', data: 'schema' });
  await waitUntil(async () => (await ask('GET', `${branches}/open`)).state === 'ready');
  await call(server, 'DELETE', `/api/pages/${branch.id}/social-data/orders/schema`, { token: owner.token });
  expect((await attack(page.slug, '--branch', 'open')).code).toBe(1);
  expect((await attack(page.slug, '--branch', 'gone')).stderr).toContain('This page has no branch gone.');
});

test('says what could not be tried', async () => {
  const page = await publish(server, owner.token, {
    ...{ name: 'Unknown calls', html_content: ORDERS, storage_mode: 'social_app' },
  });
  // No text matches this, so the attack cannot add a record either.
  await ask('PUT', `/api/pages/${page.id}/social-data/orders/schema`, {
    schema: {
      strict: true,
      fields: { code: { type: 'string', required: true, pattern: '^a$', minLength: 2 } },
    },
  });
  const { stdout } = await attack(page.slug);
  expect(stdout).toContain('not tried: the collection orders: it took none of the invented records');
});
