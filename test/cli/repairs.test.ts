import { afterAll, beforeAll, expect, test } from 'bun:test';
import { BROKEN, FIX, MESSAGE, reportError } from '../support/agents/repairs.ts';
import { startToolVendor, type ToolVendor } from '../support/agents/tool-vendor.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';
import type { CallOptions } from '../support/http/call.ts';
import { type Account, call, publish, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** `quire pages errors`, `repair` and `repairs`, with a scripted model and a real browser. */

const LONG_MS = 240_000;

let server: TestServer;
let vendor: ToolVendor;
let owner: Account;
let shell: Shell;

beforeAll(async () => {
  vendor = await startToolVendor();
  server = await startServer({
    settings: {
      QUIRE_LOG_LEVEL: 'silent',
      QUIRE_AI_PROVIDER: 'openai-compatible',
      QUIRE_AI_URL: vendor.url,
      QUIRE_AI_MODEL: 'model-a',
      QUIRE_CREDITS_NEW_USER: '1000',
    },
  });
  owner = await register(server, 'cli-repairs');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: owner.token });
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
  await vendor.stop();
});

const pages = (...args: string[]) => shell.run(['pages', ...args], { timeoutMs: LONG_MS });
const report = (page: { id: number; url: string; slug: string }) =>
  reportError(
    {
      quire: {
        call: (method: string, path: string, options?: CallOptions) => call(server, method, path, options),
      },
      owner: {
        call: (method: string, path: string, options?: CallOptions) =>
          call(server, method, path, { token: owner.token, ...options }),
      },
    },
    page,
  );

test('turns repairs on and off, and lists errors with their ids', async () => {
  const page = await publish(server, owner.token, { name: 'Errors', html_content: BROKEN });
  expect((await pages('errors', page.slug)).stdout).toBe('There are no errors.\n');
  const off = await pages('repairs', page.slug);
  expect([off.code, off.stdout, off.stderr]).toEqual([
    0,
    'There are no repairs.\n',
    expect.stringContaining('Repairs are off. Add --on.'),
  ]);
  expect((await pages('repairs', page.slug, '--on', '--off')).code).toBe(2);
  expect((await pages('repairs', page.slug, '--on')).stderr).toContain('Repairs are on;');
  const error = await report(page);
  const listed = await pages('errors', page.slug);
  expect(listed.stdout).toMatch(new RegExp(`${error} +1 +yes +Uncaught TypeError`));
  const { errors } = await shell.json(['pages', 'errors', page.slug]);
  expect(errors).toMatchObject([{ fingerprint: error, count: 1, message: MESSAGE }]);
  expect((await pages('repairs', page.slug, '--off')).stderr).toContain('Repairs are off.');
  const refused = await pages('repair', page.slug, error);
  expect([refused.code > 0, refused.stderr]).toEqual([true, expect.stringMatching(/repair/i)]);
});

test(
  'repairs an error and prints the proof, and ends with 1 if nothing was proven',
  async () => {
    const page = await publish(server, owner.token, { name: 'Repaired', html_content: BROKEN });
    await pages('repairs', page.slug, '--on');
    const error = await report(page);
    vendor.play([{ text: 'I look.' }]);
    const failed = await pages('repair', page.slug, error);
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('before: fails: TypeError')]);

    vendor.play([{ text: 'I look.', calls: [FIX] }, { text: 'An empty list is fine now.' }]);
    const proven = await pages('repair', page.slug, error);
    expect([proven.code, proven.stderr]).toEqual([0, expect.stringContaining('…')]);
    expect(proven.stdout).toContain('before: fails: TypeError');
    expect(proven.stdout).toContain('after: does not fail');
    expect(proven.stdout).toContain('--- index.html');
    expect(proven.stdout).toContain("items[0]?.name ?? 'nothing'");
    expect(proven.stdout).toMatch(/^Look at it: http/m);
    const { repairs } = await shell.json(['pages', 'repairs', page.slug]);
    expect(repairs.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'repaired',
      expect.not.stringMatching('^repaired$'),
    ]);
    const { body } = await call(server, 'GET', `/api/pages/${page.id}`, { token: owner.token });
    expect(body.page.html_content).toBe(BROKEN);
  },
  2 * LONG_MS,
);
