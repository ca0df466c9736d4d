import { afterAll, beforeAll, expect, test } from 'bun:test';
import { clientCommands } from '../../cli/index.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { serverCommands } from '../../server/commands/index.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';

let shell: Shell;
beforeAll(() => {
  shell = openShell();
});
afterAll(() => shell.stop());

test('lists every command and every exit code', async () => {
  const { code, stdout } = await shell.run(['--help']);
  expect(code).toBe(0);
  for (const { name, summary } of [...serverCommands, ...clientCommands]) {
    expect(stdout).toContain(`quire ${name}`);
    expect(stdout).toContain(summary);
  }
  for (const exitCode of [0, 1, 2, 3, 4, 5, 6]) expect(stdout).toMatch(new RegExp(`^ +${exitCode}  `, 'm'));
  expect((await shell.run([])).stdout).toBe(stdout);
  expect((await shell.run(['help'])).stdout).toBe(stdout);
});

test('explains a command and a group', async () => {
  const { stdout } = await shell.run(['help', 'pages', 'push']);
  expect(stdout).toContain('--storage-mode <mode>');
  expect((await shell.run(['pages', 'push', '--help'])).stdout).toBe(stdout);
  const group = await shell.run(['pages']);
  expect(group.code).toBe(0);
  expect(group.stdout).toContain('quire pages pull');
  expect(group.stdout).not.toContain('quire functions');
  expect(await shell.json(['functions', 'secrets'])).toHaveLength(3);
});

test('prints the version of the package', async () => {
  expect((await shell.run(['--version'])).stdout).toBe(`${packageJson.version}\n`);
});

test.each([
  [['pgaes', 'list'], 'Did you mean quire pages?'],
  [['pages', 'lst'], 'Did you mean quire pages list?'],
  [['functions', 'secrets', 'sat', 'x'], 'Did you mean quire functions secrets set?'],
  [['pages', 'list', '--serch', 'x'], 'Did you mean --search?'],
  [['pages', 'list', '-x'], '-x is not an option of quire pages list.'],
  [['pages', 'push'], 'quire pages push <folder|file.html>'],
  [['pages', 'push', 'a', 'b'], 'Unexpected argument b'],
  [['pages', 'list', '--search'], 'quire pages list'],
  [['xyzzy'], 'There is no command xyzzy.'],
])('wrong usage exits with 2 and says what was meant: %j', async (args, message) => {
  const { code, stdout, stderr } = await shell.run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test('with --json an error is one JSON document', async () => {
  const { code, stdout, stderr } = await shell.run(['pages', 'list', '--json', '--serch', 'x']);
  expect(code).toBe(2);
  expect(JSON.parse(stdout).error).toContain('--search');
  expect(stderr).not.toBe('');
});
