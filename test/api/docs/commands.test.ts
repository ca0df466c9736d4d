import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { matches, runInShell, shellBlocks } from '../../support/docs.ts';
import { freshDatabase } from '../../support/engines/postgres.ts';
import { startServer, type TestServer } from '../../support/server.ts';

/** Runs the commands in the documentation and checks that they do what it says. */

const DOCS = join(import.meta.dir, '../../../docs');
/** In reading order: later commands use what earlier ones made. */
const TRIED = ['quick-start', 'pages', 'functions', 'databases', 'data', 'history'];

let server: TestServer;
let folder: string;
let dropDatabase = async () => {};
beforeAll(async () => {
  const { QUIRE_TEST_ENGINE: engine, QUIRE_TEST_POSTGRES_URL: url } = process.env;
  const database = engine === 'postgres' && url ? await freshDatabase(url) : undefined;
  if (database) dropDatabase = database.drop;
  folder = mkdtempSync(join(tmpdir(), 'quire-docs-'));
  server = await startServer({ settings: database ? { DATABASE_URL: database.url } : {} });
});
afterAll(async () => {
  await server.stop();
  await dropDatabase();
  rmSync(folder, { recursive: true });
});

const read = async (name: string) =>
  (await Bun.file(join(DOCS, `${name}.md`)).text()).replaceAll('http://localhost:3000', server.baseUrl);

test('every command in the documentation works as written, and prints what it says', async () => {
  const blocks = (await Promise.all(TRIED.map(read))).flatMap(shellBlocks);
  expect(blocks.length).toBeGreaterThan(15);
  const { outputs, failure } = await runInShell(
    blocks.map(({ command }) => command),
    folder,
  );
  expect(failure).toBeUndefined();
  const promised = blocks.flatMap(({ printed }, index) => (printed ? [{ printed, index }] : []));
  expect(promised.length).toBeGreaterThan(5);
  for (const { printed, index } of promised) {
    const output = outputs[index] ?? '';
    expect({ printed, output, isSo: matches(output, printed) }).toEqual({ printed, output, isSo: true });
  }
});

test('a command that fails is detected', async () => {
  const { outputs, failure } = await runInShell(
    ['echo first', `curl -s ${server.baseUrl}/api/pages`, 'echo third'],
    folder,
  );
  expect(outputs[0]).toBe('first');
  expect(failure).toContain('UNAUTHORIZED');
  expect(outputs).not.toContain('third');
});
