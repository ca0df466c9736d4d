import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openShell, type Shell } from '../support/cli.ts';
import { publish, register } from '../support/fault-client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** What is different when somebody looks: colours, a prompt, a bar. */

const MAIN = join(import.meta.dir, '../../src/main.ts');
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

/** Runs a command on a terminal and answers its prompts, each once it is there. */
async function onTerminal(
  args: string[],
  answers: Array<[prompt: string, answer: string]> = [],
  env: Record<string, string> = {},
): Promise<{ code: number; seen: string }> {
  let seen = '';
  let from = 0;
  const left = [...answers];
  const terminal = new Bun.Terminal({
    cols: 120,
    rows: 40,
    data(_, bytes) {
      seen += Buffer.from(bytes).toString();
      const [next] = left;
      if (!next || !seen.includes(next[0], from)) return;
      from = seen.length;
      left.shift();
      terminal.write(next[1]);
    },
  });
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    cwd: shell.folder,
    env: { ...shell.env, TERM: 'xterm', ...env },
    terminal,
    timeout: 25_000,
  });
  const code = await child.exited;
  terminal.close();
  return { code, seen };
}

test('colours are for terminals, and NO_COLOR turns them off', async () => {
  expect((await onTerminal(['pages', 'list'])).seen).toContain(ESCAPE);
  expect((await onTerminal(['pages', 'list'], [], { NO_COLOR: '1' })).seen).not.toContain(ESCAPE);
  const { stdout, stderr } = await shell.run(['pages', 'list']);
  expect(stdout + stderr).not.toContain(ESCAPE);
});

test('SQL has a prompt that takes several lines, goes on after a mistake and remembers', async () => {
  writeFileSync(join(shell.folder, 'store.js'), "export default { fetch: () => new Response('x') }");
  await shell.json(['functions', 'push', 'store.js', '--database']);
  const { code, seen } = await onTerminal(
    ['functions', 'sql', 'store'],
    [
      ['sql> ', 'CREATE TABLE t (word TEXT)\r'],
      ['  -> ', ';\r'],
      ['sql> ', 'SELEKT 1;\r'],
      ['sql> ', "INSERT INTO t VALUES ('hocus'), ('pocus');\r"],
      ['sql> ', 'SELECT count(*) AS words FROM t;\r'],
      // The arrow brings the last statement back.
      ['sql> ', '\u001b[A\r'],
      ['sql> ', '\u0004'],
    ],
  );
  expect(code).toBe(0);
  expect(seen).toContain('near "SELEKT": syntax error');
  expect(seen).toContain('2 changed');
  expect(seen.match(/1 row,/g)).toHaveLength(2);
});

test('long work shows a bar on a terminal only', async () => {
  const lines = Array.from({ length: 500 }, (_, index) => JSON.stringify({ index }));
  writeFileSync(join(shell.folder, 'many.ndjson'), lines.join('\n'));
  const args = ['data', 'import', 'shown', 'many', 'many.ndjson'];
  const { code, seen } = await onTerminal(args);
  expect({ code, bar: /importing many \[#*-*\] +\d+%/.test(seen) }).toEqual({ code: 0, bar: true });
  expect((await onTerminal([...args, '--quiet'])).seen).not.toContain('%');
  expect((await shell.run(args)).stderr).toBe('');
});

test('what a page or function printed cannot drive the terminal', async () => {
  const code =
    "export default { fetch() { console.log('\\u001b]0;title\\u0007'); return new Response('x'); } }";
  writeFileSync(join(shell.folder, 'sly.js'), code);
  await shell.json(['functions', 'push', 'sly.js']);
  await shell.json(['functions', 'call', 'sly']);
  const { stdout } = await shell.run(['functions', 'logs', 'sly']);
  expect(stdout).toContain('\\x1b]0;title\\x07');
  expect(stdout).not.toContain('\u001b');
});
