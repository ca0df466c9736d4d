import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLogins, writeLogins } from './account-file.ts';
import { refreshLogin } from './refresh.ts';

/** A service that gives each refresh token a new pair. */
let renewals = 0;
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () =>
    Response.json({
      access_token: `qra_${++renewals}`,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: `qrr_${renewals}`,
      scope: 'pages:read',
    }),
});
const base_url = server.url.origin;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-logins-'));
});
afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true });
});

test('a token that expires soon is renewed once, and the logins to other servers stay', async () => {
  const environment = { XDG_CONFIG_HOME: folder };
  const old = { base_url, token: 'qra_0', refresh_token: 'qrr_0', expires_at: Date.now() + 60_000 };
  const first = { base_url: 'https://first.example', token: 'qr_first' };
  const last = { base_url: 'https://last.example', token: 'qr_last' };
  await writeLogins(environment, [first, old, last]);
  const renewed = await Promise.all([1, 2, 3].map(() => refreshLogin(environment, old)));
  expect(renewed.map(({ token }) => token)).toEqual(['qra_1', 'qra_1', 'qra_1']);
  expect(await readLogins(environment)).toEqual([first, renewed[0] ?? old, last]);
  expect(await refreshLogin(environment, first)).toEqual(first);
  expect(renewals).toBe(1);
});
