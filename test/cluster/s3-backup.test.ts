import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { startS3, type TestS3 } from '../support/engines/s3.ts';
import { call, publish, register } from '../support/http/client.ts';
import { startServer } from '../support/server.ts';

/** Backs up files from one bucket, and restores them into another. */

let root: string;
let shell: Shell;
let first: TestS3;
let second: TestS3;
let token: string;
let file: string;
let archive: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'quire-backup-s3-'));
  shell = openShell();
  first = await startS3();
  second = await startS3();
  const server = await startServer({ dataFolder: join(root, 'first'), settings: first.settings });
  ({ token } = await register(server, 'ada'));
  const page = await publish(server, token, { storage_mode: 'team_app' });
  const files = `/api/pages/${page.id}/team-files`;
  for (let i = 0; i < 20; i++) {
    const body = new FormData();
    body.append('file', new File([`notes ${i}`], 'notes.txt'));
    const headers = { authorization: `Bearer ${token}` };
    const sent = await fetch(`http://127.0.0.1:${server.port}${files}`, { method: 'POST', headers, body });
    file = `${files}/${((await sent.json()) as { id: string }).id}`;
  }
  await server.stop();
  archive = join(root, 'archive.tar.gz');
}, 120_000);
afterAll(async () => {
  await shell?.stop();
  await first?.stop();
  await second?.stop();
  rmSync(root, { recursive: true, force: true });
});

const keysIn = async (s3: TestS3) =>
  ((await new Bun.S3Client(s3).list()).contents ?? []).map(({ key }) => key).sort();
const restore = (from: string, to: string) =>
  shell.run(['restore', from, '--json'], { env: { ...second.settings, QUIRE_DATA: join(root, to) } });

test('a backup contains the files of the bucket', async () => {
  const env = { ...first.settings, QUIRE_DATA: join(root, 'first') };
  const taken = await shell.run(['backup', archive, '--json'], { env });
  expect(taken.stderr).toBe('');
  expect(taken.json()).toMatchObject({ blobs: 20, missing: [] });
});

test('a failed restore leaves nothing in the bucket', async () => {
  const broken = join(root, 'broken.tar.gz');
  writeFileSync(broken, readFileSync(archive).subarray(0, -500));
  const { code } = await restore(broken, 'broken');
  expect(code).toBe(1);
  expect(await keysIn(second)).toEqual([]);
  expect(readdirSync(join(root, 'broken'))).toEqual([]);
});

test('a restore writes the files to the bucket, and a server serves them from there', async () => {
  const restored = await restore(archive, 'second');
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  expect(await keysIn(second)).toEqual(await keysIn(first));
  expect(readdirSync(join(root, 'second'))).not.toContain('blobs');
  const server = await startServer({ dataFolder: join(root, 'second'), settings: second.settings });
  try {
    expect((await call(server, 'GET', file, { token })).body).toBe('notes 19');
  } finally {
    await server.stop();
  }
}, 120_000);

test('a restore refuses a bucket that is not empty, and does not change it', async () => {
  const before = await keysIn(second);
  const { code, stderr } = await restore(archive, 'third');
  expect([code, stderr]).toEqual([1, expect.stringContaining('S3_BUCKET')]);
  expect(await keysIn(second)).toEqual(before);
});
