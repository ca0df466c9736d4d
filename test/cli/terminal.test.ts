import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { publish, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** What is different on a terminal: colours, a prompt, a progress bar. */

const ESCAPE = '\u001b[';

let server: TestServer;
let shell: Shell;

beforeAll(async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent' } });
  const { token } = await register(server, 'ada');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: token });
  await publish(server, token, { name: 'Shown', storage_mode: 'social_app' });
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

test('colours are for terminals, and NO_COLOR turns them off', async () => {
  expect((await shell.onTerminal(['pages', 'list'])).seen).toContain(ESCAPE);
  expect((await shell.onTerminal(['pages', 'list'], [], { NO_COLOR: '1' })).seen).not.toContain(ESCAPE);
  const { stdout, stderr } = await shell.run(['pages', 'list']);
  expect(stdout + stderr).not.toContain(ESCAPE);
});

test('SQL has a prompt that accepts several lines, continues after an error and has a history', async () => {
  writeFileSync(join(shell.folder, 'store.js'), "export default { fetch: () => new Response('x') }");
  await shell.json(['functions', 'push', 'store.js', '--database']);
  const { code, seen } = await shell.onTerminal(
    ['functions', 'sql', 'store'],
    [
      ['sql> ', 'CREATE TABLE t (word TEXT)\r'],
      ['  -> ', ';\r'],
      ['sql> ', 'SELEKT 1;\r'],
      ['sql> ', "INSERT INTO t VALUES ('hocus'), ('pocus');\r"],
      ['sql> ', 'SELECT count(*) AS words FROM t;\r'],
      // The up arrow brings back the last statement.
      ['sql> ', '\u001b[A\r'],
      ['sql> ', '\u0004'],
    ],
  );
  expect({ code, seen }).toMatchObject({ code: 0 });
  expect(seen).toContain('near "SELEKT": syntax error');
  expect(seen).toContain('2 changed');
  expect(seen.match(/1 row,/g)).toHaveLength(2);
});

test('long work shows a progress bar on a terminal only', async () => {
  const lines = Array.from({ length: 500 }, (_, index) => JSON.stringify({ index }));
  writeFileSync(join(shell.folder, 'many.ndjson'), lines.join('\n'));
  const args = ['data', 'import', 'shown', 'many', 'many.ndjson'];
  const { code, seen } = await shell.onTerminal(args);
  expect({ code, bar: /importing many \[#*-*\] +\d+%/.test(seen) }).toEqual({ code: 0, bar: true });
  expect((await shell.onTerminal([...args, '--quiet'])).seen).not.toContain('%');
  expect((await shell.run(args)).stderr).toBe('');
});

test('the output of a page or function cannot control the terminal', async () => {
  const code =
    "export default { fetch() { console.log('\\u001b]0;title\\u0007'); return new Response('x'); } }";
  writeFileSync(join(shell.folder, 'sly.js'), code);
  await shell.json(['functions', 'push', 'sly.js']);
  await shell.json(['functions', 'call', 'sly']);
  const { stdout } = await shell.run(['functions', 'logs', 'sly']);
  expect(stdout).toContain('\\x1b]0;title\\x07');
  expect(stdout).not.toContain('\u001b');
});
