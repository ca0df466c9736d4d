import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backup } from '../../../contract/admin/backups.ts';
import { openBucket } from '../../../server/platform/blobs/index.ts';
import { bucketPlace, checkArchive, diskPlace } from '../../../server/product/backup/index.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { promote, reopen } from '../../support/backup.ts';
import { startS3, type TestS3 } from '../../support/engines/s3.ts';
import { runSql } from '../../support/engines/storage.ts';
import { PASSWORD } from '../../support/http/call.ts';
import { waitUntil } from '../../support/server.ts';

/** Backups that the server keeps. */

const services: TestApp[] = [];
const buckets: TestS3[] = [];
const gates: Array<{ stop(): Promise<void> }> = [];
const PATH = '/api/admin/backups';
/** How many a server keeps if nobody says otherwise. */
const KEPT = 10;
/** What a server that was killed leaves behind. */
const REMAINS = '.unfinished-backup-2026-01-01T00-00-00Z-1.tar.gz';

afterAll(async () => {
  for (const { stop } of [...services, ...gates, ...buckets]) await stop();
});

/** A new one for each service: only nodes with the same database share a bucket. */
async function openBucketServer(): Promise<TestS3> {
  const s3 = await startS3();
  buckets.push(s3);
  return s3;
}

async function open(settings: Record<string, string> = {}) {
  const quire = await testApp(settings);
  services.push(quire);
  const ada = await quire.user('ada');
  await ada.publish({ name: 'A page to keep' });
  await promote(quire, 'ada');
  const body = { username: 'ada', password: PASSWORD, scopes: ['admin'] };
  const token: string = (await quire.call('POST', '/api/auth/token', { body })).body.accessToken;
  const call = (method: string, path: string) => quire.call(method, path, { token });
  const list = async () => (await call('GET', PATH)).body;
  const names = async (): Promise<string[]> => (await list()).backups.map((each: Backup) => each.name);
  /** From the moment it is started, a backup is in the list. */
  const untilOver = async (name: string): Promise<Backup> => {
    let found: Backup | undefined;
    await waitUntil(async () => {
      found = (await list()).backups.find((each: Backup) => each.name === name);
      if (!found) throw new Error(`${name} is not listed`);
      return found.state !== 'running';
    });
    return found as Backup;
  };
  const start = async (): Promise<string> => {
    quire.advance(1_000);
    const { status, body } = await call('POST', PATH);
    expect(status).toBe(202);
    return body.backup.name;
  };
  const make = async (): Promise<string> => {
    const name = await start();
    expect(await untilOver(name)).toMatchObject({ state: 'complete' });
    return name;
  };
  const download = (name: string) =>
    quire.request(`${PATH}/${name}`, { headers: { authorization: `Bearer ${token}` } });
  return { quire, ada, token, call, list, names, untilOver, start, make, download };
}

for (const kind of ['a folder', 'a bucket']) {
  describe(`backups in ${kind}`, () => {
    let at: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      at = await open(kind === 'a bucket' ? (await openBucketServer()).settings : {});
    });

    test('an administrator makes, downloads and deletes one', async () => {
      expect(await at.list()).toMatchObject({
        backups: [],
        maxBackups: KEPT,
        isBucket: kind === 'a bucket',
      });
      const name = await at.make();
      const [backup] = (await at.list()).backups;
      expect(backup).toMatchObject({ name, state: 'complete', madeBy: 'ada', problem: null });
      const response = await at.download(name);
      expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
      expect(response.headers.get('content-length')).toBe(String(backup.bytes));
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect(bytes.length).toBe(backup.bytes);
      const contents = await checkArchive(new Blob([bytes]).stream());
      expect(contents.totals.rows).toMatchObject({ users: 1, pages: 1 });
      // What a node is doing is not part of the data.
      expect(contents.totals.rows).not.toHaveProperty('backup_runs');

      expect((await at.call('DELETE', `${PATH}/${name}`)).status).toBe(204);
      expect((await at.list()).backups).toEqual([]);
      expect((await at.download(name)).status).toBe(404);
      expect((await at.call('DELETE', `${PATH}/${name}`)).status).toBe(404);
      const { entries } = (await at.call('GET', '/api/admin/audit?action=backup.')).body;
      expect(
        entries.map(({ action, target }: { action: string; target: object }) => [action, target]),
      ).toEqual(
        ['delete', 'download', 'make'].map((verb) => [`backup.${verb}`, { kind: 'backup', id: null, name }]),
      );
    });

    test('only the newest are kept', async () => {
      const names: string[] = [];
      for (let made = 0; made <= KEPT; made++) {
        names.push(await at.make());
        if (made === KEPT - 1) expect((await at.list()).backups).toHaveLength(KEPT);
      }
      expect(await at.names()).toEqual(names.slice(1).reverse());
    });
  });
}

test('nobody else can do anything with backups, and names cannot lead elsewhere', async () => {
  const { quire, call } = await open();
  const bea: TestUser = await quire.user('bea');
  for (const [method, path] of [
    ['POST', PATH],
    ['GET', PATH],
    ['GET', `${PATH}/backup-2026-01-01T00-00-00Z-1.tar.gz`],
    ['DELETE', `${PATH}/backup-2026-01-01T00-00-00Z-1.tar.gz`],
  ] as const) {
    expect((await bea.call(method, path)).status).toBe(403);
    expect((await quire.call(method, path)).status).toBe(401);
  }
  for (const name of ['..%2Fquire.db', 'quire.db', REMAINS, 'backup-2026-01-01T00-00-00Z-1.tar.gz%2F..%2Fx'])
    for (const method of ['GET', 'DELETE'])
      expect((await call(method, `${PATH}/${name}`)).status).toBeOneOf([404, 422]);
  expect(existsSync(join(quire.dataFolder, 'quire.db')) || quire.databaseUrl !== undefined).toBe(true);
});

test('a backup that fails leaves no file, says why, and can be dismissed', async () => {
  const { quire, call, list, names, untilOver, start, make } = await open();
  // A file where the folder should be: nothing can be written there.
  writeFileSync(join(quire.dataFolder, 'backups'), '');
  expect((await call('POST', PATH)).status).toBe(500);
  rmSync(join(quire.dataFolder, 'backups'));
  mkdirSync(join(quire.dataFolder, 'backups'));
  const first = await make();
  expect(statSync(join(quire.dataFolder, 'backups', first)).mode & 0o777).toBe(0o600);
  // The next one cannot be written, because its temporary name is taken, in whichever second it begins.
  const now = (await list()).backups[0].createdAt;
  for (let second = 0; second < 600; second++) {
    const time = new Date(Date.parse(now) + second * 1000)
      .toISOString()
      .replace(/\.\d+Z$/, 'Z')
      .replaceAll(':', '-');
    mkdirSync(join(quire.dataFolder, 'backups', `.unfinished-backup-${time}-1.tar.gz`));
  }
  const failed = await untilOver(await start());
  expect(failed.state).toBe('failed');
  expect(failed.problem).toContain('The log of the server says what.');
  expect(await names()).toEqual([failed.name, first]);
  expect((await call('DELETE', `${PATH}/${failed.name}`)).status).toBe(204);
  expect(await names()).toEqual([first]);
});

test('after a crash nothing half made is listed', async () => {
  const { quire, list } = await open();
  if (quire.databaseUrl !== undefined) return;
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-crash-'));
  const folder = join(dataFolder, 'backups');
  mkdirSync(folder);
  writeFileSync(join(folder, REMAINS), 'half');
  const again = await reopen({ dataFolder });
  expect(readdirSync(folder)).toEqual([]);
  await again.app.stop();
  rmSync(dataFolder, { recursive: true });
  expect((await list()).backups).toEqual([]);
});

test('one runs at a time', async () => {
  const s3 = await openBucketServer();
  const gate = holdWrites(s3);
  const { call, names, untilOver } = await open({ ...s3.settings, S3_ENDPOINT: gate.endpoint });
  const tries = await Promise.all([call('POST', PATH), call('POST', PATH), call('POST', PATH)]);
  expect(tries.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
  await gate.reached;
  gate.release();
  const name = tries.find(({ status }) => status === 202)?.body.backup.name;
  expect(await untilOver(name)).toMatchObject({ state: 'complete' });
  expect(await names()).toEqual([name]);
});

test('a backup is not kept if another one has taken its place', async () => {
  const s3 = await openBucketServer();
  const gate = holdWrites(s3);
  const { quire, call, names, start, untilOver } = await open({ ...s3.settings, S3_ENDPOINT: gate.endpoint });
  const lost = await start();
  await gate.reached;
  const other = 'backup-2026-01-01T00-00-00Z-1.tar.gz';
  await runSql(quire, `UPDATE backup_runs SET name = '${other}', seen_at = 0 WHERE name = '${lost}'`);
  expect(await names()).toEqual([other]);
  gate.release();
  quire.advance(1_000);
  let next = '';
  await waitUntil(async () => {
    const { status, body } = await call('POST', PATH);
    next = body.backup?.name;
    return status === 202;
  });
  expect(await untilOver(next)).toMatchObject({ state: 'complete' });
  expect(await names()).toEqual([next]);
});

/** A way to a bucket on which the first piece of a backup waits, so that it cannot be complete sooner. */
function holdWrites(s3: TestS3) {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (request.method === 'PUT' && pathname.includes('/backups/pieces/')) {
        reached.resolve();
        await released.promise;
      }
      // With the host that is signed.
      const { method, headers } = request;
      const body = method === 'GET' || method === 'HEAD' ? undefined : await request.arrayBuffer();
      return fetch(s3.endpoint + pathname + search, { method, headers, ...(body && { body }) });
    },
  });
  gates.push({ stop: () => server.stop(true) });
  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    reached: reached.promise,
    release: () => released.resolve(),
  };
}

test('a backup stops before the disk is full', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-full-'));
  const place = diskPlace(folder, Number.MAX_SAFE_INTEGER);
  await expect(place.create('backup-2026-01-01T00-00-00Z-1.tar.gz')).rejects.toThrow('nearly full');
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('an archive of several objects comes back as it was, and remains of older ones are removed', async () => {
  const s3 = await openBucketServer();
  const place = bucketPlace(s3);
  const toName = (day: number) => `backup-2026-02-0${day}T00-00-00Z-1.tar.gz`;
  const read = async (name: string) => {
    const found = await place.open(name);
    return { size: found?.bytes, bytes: Buffer.from(await new Response(found?.body).arrayBuffer()) };
  };
  const [lost, writer, later] = await Promise.all([1, 2, 3].map((day) => place.create(toName(day))));
  const large = Buffer.alloc(17 * 1024 * 1024, 'later');
  await lost?.write(large);
  await later?.write(large);
  const piece = Buffer.alloc(7 * 1024 * 1024 + 13, 'quire');
  for (let written = 0; written < 5; written++) await writer?.write(piece);
  await writer?.finish();
  await place.removeRemains(toName(2));
  const { bytes, size } = await read(toName(2));
  expect(bytes.equals(Buffer.concat(Array(5).fill(piece)))).toBe(true);
  expect(size).toBe(5 * piece.length);
  // One that another node has started since is not among the remains.
  await later?.finish();
  expect((await read(toName(3))).bytes.equals(large)).toBe(true);
  expect(await place.remove(toName(2))).toBe(true);
  expect((await place.list()).map(({ name }) => name)).toEqual([toName(3)]);
  const keys = await openBucket(s3).list('backups/pieces/', 100);
  expect(keys.map((key) => key.split('/')[2])).toEqual([toName(3), toName(3)]);
});
