import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestApp, testApp } from '../support/app.ts';
import { withFixtures } from '../support/mcp-fixtures.ts';
import { freePort } from '../support/server.ts';

/**
 * The official conformance suite of the protocol, against a server that also has the tools of the suite. What does not
 * apply to us is listed in docs/agents.md, with the reason: nothing else may fail, and nothing on the list may pass.
 */

const ROOT = join(import.meta.dir, '../..');
const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

let quire: TestApp;
let server: ReturnType<typeof Bun.serve>;
let folder: string;
beforeAll(async () => {
  const port = await freePort();
  quire = await testApp({ QUIRE_BASE_URL: `http://localhost:${port}` }, { extendOffer: withFixtures });
  const { token } = await quire.user('ada');
  server = Bun.serve({
    port,
    hostname: 'localhost',
    fetch(request) {
      // The suite has no option for a token.
      request.headers.set('authorization', `Bearer ${token}`);
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

/** Runs every scenario of a revision. Returns the checks of each. */
async function run(revision: string): Promise<Map<string, Check[]>> {
  const results = join(folder, revision);
  const child = Bun.spawn(
    [
      process.execPath,
      SUITE,
      'server',
      '--url',
      `${quire.baseUrl}/mcp`,
      '--requirements',
      revision,
      '-o',
      results,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder },
  );
  await child.exited;
  const named = readdirSync(results).map((name): [string, Check[]] => [
    name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''),
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
  ['2025-11-25', 33],
  ['2026-07-28', 50],
])(
  'revision %s passes everything that applies',
  async (revision, scenarios) => {
    const checks = await run(revision);
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
