import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ended, openShell, type Shell } from '../support/cli/cli.ts';
import { freshDatabase, startPostgres } from '../support/engines/postgres.ts';
import { register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** The commands of operators with an environment file, and what they do with settings that do not fit the data. */

/** A shell would run what is in it, or stop there. */
const AWKWARD = ['QUIRE_MAIL_FROM=Quire <quire@example.com>', 'QUIRE_AI_KEY=$(touch run) `touch run` "a" #b'];

let root: string;
let shell: Shell;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let url: URL;
let server: TestServer;
let envFile: string;
let dataFolder: string;

const writeEnv = (name: string, ...lines: string[]) => {
  writeFileSync(join(root, name), `# The settings of the server\n${[...AWKWARD, ...lines].join('\n')}\n`);
  return join(root, name);
};
const freshUrl = async () => new URL((await freshDatabase(postgres.url)).url);

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'quire-env-'));
  shell = openShell();
  postgres = await startPostgres();
  url = await freshUrl();
  dataFolder = join(root, 'data');
  envFile = writeEnv('quire.env', `QUIRE_DATA=${dataFolder}`, `DATABASE_URL="${url}"`);
  server = await startServer({ dataFolder, settings: { QUIRE_ENV_FILE: envFile } });
  await register(server, 'ada');
}, 180_000);
afterAll(async () => {
  await server?.stop();
  await postgres?.stop();
  await shell?.stop();
  rmSync(root, { recursive: true, force: true });
});

const refusal = (ended: Ended, ...texts: string[]) => {
  expect(ended.code).toBe(1);
  for (const text of texts) expect(ended.stderr).toContain(text);
  expect(ended.stderr).not.toContain('at server/');
};
const database = () => `PostgreSQL database ${url.pathname.slice(1)} at ${url.host}`;

describe('a command with --env-file', () => {
  test('uses the database that the file names, in any position, and nothing in the file is run', async () => {
    for (const words of [
      ['--env-file', envFile, 'user', 'list'],
      ['user', 'list', `--env-file=${envFile}`],
    ]) {
      const { code, stdout } = await shell.run(words);
      expect([code, stdout.includes('ada')]).toEqual([0, true]);
    }
    const byVariable = await shell.run(['user', 'list'], { env: { QUIRE_ENV_FILE: envFile } });
    expect(byVariable.stdout).toContain('ada');
    expect(existsSync(join(dataFolder, 'quire.db'))).toBe(false);
    expect(readdirSync(shell.folder)).toEqual([]);
  }, 120_000);

  test('prefers variables that are set', async () => {
    const env = { DATABASE_URL: (await freshUrl()).href };
    const { stdout } = await shell.run(['user', 'list', '--env-file', envFile], { env });
    expect(stdout).toContain('There are no users yet.');
  }, 60_000);

  test('refuses a file that is missing or broken, without showing it', async () => {
    refusal(await shell.run(['serve', '--env-file', join(root, 'none.env')]), 'none.env does not exist');
    const broken = writeEnv('broken.env', 'DATABASE_URL postgres://quire:s3cret@db/quire');
    const refused = await shell.run(['backup', '--env-file', broken]);
    refusal(refused, `Line 4 of ${broken} is not an assignment`);
    expect(refused.stderr).not.toContain('s3cret');
  }, 60_000);
});

describe('quire backup and quire restore', () => {
  const archive = () => join(root, 'backup.tar.gz');

  test('say where the data comes from, and where it goes', async () => {
    const made = await shell.run(['backup', archive(), '--env-file', envFile]);
    expect([made.code, made.stderr]).toEqual([
      0,
      `Backing up ${database()}, data folder ${dataFolder} to ${archive()}\n`,
    ]);
    const to = await freshUrl();
    to.password = 's3cret';
    const env = { DATABASE_URL: to.href, QUIRE_DATA: join(root, 'restored') };
    const restored = await shell.run(['restore', archive()], { env });
    expect([restored.code, restored.stderr]).toEqual([
      0,
      `Restoring ${archive()} into PostgreSQL database ${to.pathname.slice(1)} at ${to.host}, data folder ${env.QUIRE_DATA}\n`,
    ]);
  }, 120_000);

  test('refuse a backup with other settings than those of the running server', async () => {
    const refused = await shell.run(['backup', root], { env: { QUIRE_DATA: dataFolder } });
    refusal(refused, `uses ${database()}`, 'these settings say SQLite', '--env-file');
    expect(readdirSync(root).filter((name) => name.startsWith('quire-backup-'))).toEqual([]);
    // The archive that the server had started is not left open: another one can be made.
    expect((await shell.run(['backup', root, '--env-file', envFile])).code).toBe(0);
  }, 60_000);

  test('refuse to restore into SQLite what was in PostgreSQL, unless it is meant', async () => {
    const env = { QUIRE_DATA: join(root, 'lite') };
    refusal(
      await shell.run(['restore', archive()], { env }),
      'DATABASE_URL',
      'Nothing was restored',
      '--move',
    );
    expect(readdirSync(env.QUIRE_DATA)).toEqual([]);
    expect(await shell.run(['restore', archive(), '--move'], { env })).toMatchObject({ code: 0 });
    expect(existsSync(join(env.QUIRE_DATA, 'quire.db'))).toBe(true);
  }, 60_000);
});

test.each([
  ['backup', ['backup', 'x.tar.gz']],
  ['migrate', ['migrate']],
  ['user list', ['user', 'list']],
])(
  'quire %s without DATABASE_URL makes no SQLite database in the folder of a stopped server',
  async (_, words) => {
    // The folder of a server with PostgreSQL, as it is when the server does not run.
    const folder = mkdtempSync(join(root, 'stopped-'));
    for (const name of ['lock', 'secret']) writeFileSync(join(folder, name), '');
    const refused = await shell.run(words, { env: { QUIRE_DATA: folder } });
    refusal(refused, 'DATABASE_URL is not set', 'its server uses PostgreSQL');
    expect(readdirSync(folder)).not.toContain('quire.db');
  },
  60_000,
);
