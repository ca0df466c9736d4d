import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { startStorage } from '../../server/platform/storage/index.ts';
import { findLastProof } from '../../server/product/backup/index.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { publish, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Encrypted archives, and `quire restore --drill`, beside a running server. */

let root: string;
let dataFolder: string;
let shell: Shell;
let server: TestServer;
let keyFile: string;
let page: { slug: string };
let env: Record<string, string>;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'quire-drill-'));
  dataFolder = join(root, 'data');
  const identity = await generateX25519Identity();
  keyFile = join(root, 'key.txt');
  writeFileSync(keyFile, `# created: today\n${identity}\n`);
  env = {
    QUIRE_DATA: dataFolder,
    QUIRE_BACKUP_KEY: await identityToRecipient(identity),
    QUIRE_BACKUP_FOLDER: join(root, 'kept'),
  };
  shell = openShell(env);
  server = await startServer({ dataFolder, settings: env });
  const { token } = await register(server, 'ada');
  page = await publish(server, token, { name: 'Kept' });
}, 120_000);
afterAll(async () => {
  await server?.stop();
  await shell?.stop();
  rmSync(root, { recursive: true, force: true });
});

async function readProof() {
  const storage = await startStorage({ dataFolder, migrateTo: 'as they are' });
  try {
    return await findLastProof(storage.db);
  } finally {
    await storage.stop();
  }
}

test('a backup is encrypted, opened by age, checked, proven, and not restored once it is damaged', async () => {
  const nothing = await shell.run(['restore', '--drill']);
  expect([nothing.code, nothing.stderr]).toEqual([4, expect.stringContaining('There is no backup')]);

  // 1. What `quire backup` writes.
  const { file, bytes: size, ...made } = await shell.json(['backup', root]);
  expect(made).toMatchObject({ users: 1, pages: 1 });
  expect(file).toEndWith('.tar.gz.age');
  expect(size).toBe(readFileSync(file).length);
  const age = Bun.spawn(['sh', '-c', `age -d -i "$1" "$2" | tar tz`, 'sh', keyFile, file]);
  expect(await age.stdout.text()).toContain('manifest.json');
  const refused = await shell.run(['restore', '--check', file]);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--identity <file>')]);
  expect((await shell.run(['restore', '--check', file, '--identity', keyFile])).code).toBe(0);

  // 2. The newest one that the server keeps.
  const name = 'backup-2026-01-01T00-00-00Z-0.tar.gz.age';
  const kept = join(root, 'kept', name);
  await Bun.write(kept, readFileSync(file));
  const proven = await shell.run(['restore', '--drill', '--identity', keyFile]);
  expect(proven.stderr).toContain(`Proving ${name}`);
  expect([proven.code, proven.stdout]).toEqual([0, expect.stringContaining('can be restored. Proven in')]);
  for (const line of ['1 user, 1 page', 'without damage', 'read again', `/p/${page.slug}`])
    expect(proven.stdout).toContain(line);
  expect(await readProof()).toMatchObject({ name, problem: null });
  expect(existsSync(join(dataFolder, '.drill'))).toBe(false);
  // Without its key, nothing is known about it: what was proven stays so.
  const keyless = await shell.run(['restore', '--drill']);
  expect([keyless.code, keyless.stderr]).toEqual([1, expect.stringContaining('--identity <file>')]);
  expect(await readProof()).toMatchObject({ name, problem: null });

  // 3. One turned bit.
  const bytes = readFileSync(kept);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  writeFileSync(kept, bytes);
  const found = await shell.run(['restore', '--drill', '--identity', keyFile]);
  expect([found.code, found.stderr]).toEqual([1, expect.stringContaining(`${name} is not proven`)]);
  expect(await readProof()).toMatchObject({ name, problem: expect.stringContaining('damaged') });
  const empty = join(root, 'empty');
  const into = { env: { QUIRE_DATA: empty, QUIRE_BACKUP_KEY: '' } };
  expect((await shell.run(['restore', kept, '--identity', keyFile], into)).code).toBe(1);
  expect(readdirSync(empty)).toEqual([]);

  // 4. The good one, named, and for real. The result of a named one is not kept.
  expect((await shell.run(['restore', '--drill', file, '--identity', keyFile])).code).toBe(0);
  expect(await readProof()).toMatchObject({ problem: expect.any(String) });
  expect((await shell.run(['restore', file, '--identity', keyFile], into)).code).toBe(0);
  expect(readdirSync(empty)).toContain('quire.db');
}, 240_000);

test('wrong use is explained', async () => {
  const cases: Array<[string[], number, string]> = [
    [['restore'], 2, 'Name an archive'],
    [['restore', '--drill', 'nowhere.tar.gz'], 4, 'does not exist'],
    [['restore', '--from', `file://${root}`, '--drill'], 2, 'add --check'],
    [['restore', '--from', `file://${root}/none`, '--check'], 4, 'There is no replica'],
    [['restore', '--from', `file://${root}/none`, '--at', '1'], 2, '--at must be a time'],
    [['restore', '--drill', '--identity', join(root, 'no.txt')], 4, 'does not exist'],
    [['restore', '--drill', '--identity', root], 1, 'is not an identity file'],
  ];
  for (const [words, code, text] of cases) {
    const ended = await shell.run(words);
    expect([ended.code, ended.stderr + ended.stdout]).toEqual([code, expect.stringContaining(text)]);
  }
}, 120_000);
