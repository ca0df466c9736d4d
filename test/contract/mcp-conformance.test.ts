import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withFixtures } from '../support/agents/mcp-fixtures.ts';
import { type TestApp, type TestUser, testApp } from '../support/app.ts';
import { answerConsent, openConsent, registerClient } from '../support/oauth.ts';
import { freePort } from '../support/server.ts';

/**
 * The official conformance suite of the protocol, against a server that also has the tools of the suite. What does not
 * apply to us is listed in docs/agents.md, with the reason: nothing else may fail, and nothing on the list may pass.
 */

const ROOT = join(import.meta.dir, '../..');
const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

let quire: TestApp;
let user: TestUser;
let server: ReturnType<typeof Bun.serve>;
let folder: string;
beforeAll(async () => {
  const port = await freePort();
  quire = await testApp({ QUIRE_BASE_URL: `http://localhost:${port}` }, { extendOffer: withFixtures });
  user = await quire.user('ada');
  server = Bun.serve({
    port,
    hostname: 'localhost',
    fetch(request) {
      // The suite has no option for a token. The MCP server of a page needs none.
      if (new URL(request.url).pathname === '/mcp')
        request.headers.set('authorization', `Bearer ${user.token}`);
      return quire.app.fetch(request, () => '127.0.0.1');
    },
  });
  folder = mkdtempSync(join(tmpdir(), 'quire-conformance-'));
});
afterAll(async () => {
  await server.stop(true);
  await quire.stop();
  rmSync(folder, { recursive: true });
});

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

/** Runs every scenario of a revision against the server at a path. Returns the checks of each. */
async function run(revision: string, path = '/mcp'): Promise<Map<string, Check[]>> {
  const results = join(folder, `${revision}${path.replaceAll('/', '-')}`);
  const url = quire.baseUrl + path;
  const child = Bun.spawn(
    [process.execPath, SUITE, 'server', '--url', url, '--requirements', revision, '-o', results],
    { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder },
  );
  await child.exited;
  return checksIn(results);
}

/** The checks of each scenario that has run. */
function checksIn(results: string): Map<string, Check[]> {
  const named = readdirSync(results).map((name): [string, Check[]] => [
    name.replace(/^(authorization-)?server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''),
    JSON.parse(readFileSync(join(results, name, 'checks.json'), 'utf8')),
  ]);
  return new Map(named);
}

/** The scenarios that do not apply, from the table in the documentation. */
function exempt(revision: string): string[] {
  const docs = readFileSync(join(ROOT, 'docs/agents.md'), 'utf8');
  const rows = [...docs.matchAll(/^\| (`[\w-]+`(?:, `[\w-]+`)*) \| (\d{4}-\d\d-\d\d) \| .+ \|$/gm)];
  return rows
    .filter(([, , named]) => named === revision)
    .flatMap(([, scenarios = '']) => [...scenarios.matchAll(/[\w-]+/g)].map(([scenario]) => scenario));
}

test.each([
  ['2025-11-25', 33, 'the service'],
  ['2026-07-28', 50, 'the service'],
  ['2025-11-25', 33, 'a page'],
  ['2026-07-28', 50, 'a page'],
])(
  'revision %s passes everything that applies (%i scenarios, %s)',
  async (revision, scenarios, of) => {
    const page = await user.publish({ name: `Conformance ${revision}`, storage_mode: 'social_app' });
    const checks = await run(revision, of === 'a page' ? `/p/${page.slug}/mcp` : '/mcp');
    expect(checks.size).toBe(scenarios);
    const failing = [...checks].flatMap(([scenario, made]) => {
      const failures = made.filter(({ status }) => status === 'FAILURE');
      return failures.length > 0
        ? [[scenario, failures.map(({ id, errorMessage }) => ({ id, errorMessage }))] as const]
        : [];
    });
    const expected = exempt(revision);
    expect(failing.filter(([scenario]) => !expected.includes(scenario))).toEqual([]);
    expect(failing.map(([scenario]) => scenario).toSorted()).toEqual(expected.toSorted());
  },
  180_000,
);

test('an app that a person allows gets a token, by the rules of the suite', async () => {
  const port = await freePort();
  const results = join(folder, 'authorization');
  const clientId = await registerClient(quire, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
  const options = ['--url', quire.baseUrl, '--client-id', clientId, '--resource', `${quire.baseUrl}/mcp`];
  const child = Bun.spawn(
    [process.execPath, SUITE, 'authorization', ...options, '-p', String(port), '-o', results],
    { stdio: ['ignore', 'pipe', 'inherit'], cwd: folder },
  );
  const cookie = await user.login();
  let output = '';
  for await (const chunk of child.stdout) {
    output += Buffer.from(chunk).toString();
    const [, query] = /\/oauth\/authorize\?(\S+)\n/.exec(output) ?? [];
    if (query === undefined) continue;
    output = '';
    const allowed = await answerConsent(quire, await openConsent(quire, query, cookie), cookie);
    await fetch(allowed.headers.get('location') ?? '');
  }
  await child.exited;
  const checks = [...checksIn(results).values()].flat().map(({ id, status }) => `${id}: ${status}`);
  expect(checks.toSorted()).toEqual([
    'authorization-code-grant: SUCCESS',
    'authorization-server-metadata-cimd: SUCCESS',
    'authorization-server-metadata: SUCCESS',
  ]);
}, 180_000);
