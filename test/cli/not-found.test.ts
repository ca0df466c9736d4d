import { afterAll, beforeAll, expect, test } from 'bun:test';
import { clientCommands } from '../../cli/table.ts';
import { serverCommands } from '../../server/commands/index.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { runSql } from '../support/engines/storage.ts';
import { PASSWORD } from '../support/http/call.ts';
import { register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Scripts tell "there is none" from other failures by the exit code, so every command has to use the same one. */

const AT_ONCE = 4;

/** What a placeholder stands for where any word would be wrong usage. */
const VALUES: Record<string, string> = {
  '<version>': '9',
  '<version|time>': '9',
  '<draft>': '9',
  '<id>': '9',
  '<credits>': '5',
  '<role>': 'member',
  '<NAME>': 'WORD',
  '<domain>': 'nope.example.com',
  '<time>': '2026-01-01T00:00:00Z',
};

/** Commands whose arguments do not name something that has to exist, or that end before they look for it. */
const OTHERS = [
  'login',
  'tokens create',
  'account delete',
  'migrate-to-cluster',
  'cluster reshard',
  'cluster join',
  'upgrade',
  'mail test',
  'user create',
];

const named = [...serverCommands, ...clientCommands].filter(
  ({ name, usage }) => usage.includes('<') && !OTHERS.includes(name),
);

let server: TestServer;
let shell: Shell;

beforeAll(async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent' } });
  await register(server, 'ada');
  const { dataFolder } = server;
  await runSql({ dataFolder, databaseUrl: undefined }, 'update users set is_admin = 1');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_DATA: dataFolder });
  await shell.run(['login', '--username', 'ada', '--password-stdin'], { stdin: `${PASSWORD}\n` });
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

/** The words of a command for something that does not exist: `functions delete nope --yes`. */
function wordsFor(name: string, usage: string): string[] {
  const required = usage.replace(/\[[^\]]*\]/g, '').split(/ +/);
  const words = required.filter(Boolean).map((word) => {
    if (word.startsWith('<')) return VALUES[word] ?? 'nope';
    return word.split('|')[0] ?? '';
  });
  return [...name.split(' '), ...words];
}

test('every command exits with 4 for something that does not exist, and says what', async () => {
  expect(named.length).toBeGreaterThan(50);
  const waiting = [...named];
  const wrong: unknown[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const words = wordsFor(next.name, next.usage);
      const { code, stdout, stderr } = await shell.run(words, { stdin: `${PASSWORD}\n` });
      if (
        code !== 4 ||
        stdout !== '' ||
        !/not found|does not exist|There is no/.test(stderr) ||
        /resource/.test(stderr)
      )
        wrong.push({ words: words.join(' '), code, stdout, stderr });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(wrong).toEqual([]);
});
