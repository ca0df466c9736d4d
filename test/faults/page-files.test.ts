import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { readSql } from '../support/engines/storage.ts';
import { type DiskServer, makeSmallDisk, type SmallDisk, startServerOn } from '../support/faults/disk.ts';
import { rounds } from '../support/faults/rounds.ts';
import { call, publish, register } from '../support/http/client.ts';
import { form } from '../support/pages/files.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

/** Uploads of files while something breaks. */

const random = (bytes: number) =>
  Buffer.concat(
    Array.from({ length: bytes / 65_536 }, () => Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)))),
  );

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [relative(folder, join(entry.parentPath, entry.name))] : [],
  );
}

function upload(server: { port: number }, token: string, id: number, files: Record<string, Uint8Array>) {
  return fetch(`http://127.0.0.1:${server.port}/api/pages/${id}/files`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}` },
    body: form(files),
  });
}

describe('a server that is killed during an upload', () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-files-kill-'));
  const sent = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${at}.bin`, random(262_144)]));
  let server: TestServer;
  let token: string;
  beforeAll(async () => {
    server = await startServer({ dataFolder });
    ({ token } = await register(server, 'ada'));
  });
  afterAll(async () => {
    await server.kill();
    rmSync(dataFolder, { recursive: true });
  });

  test.each([
    ['receives it', () => filesBelow(join(dataFolder, 'uploads')).length > 0],
    ['unpacks it', () => filesBelow(join(dataFolder, 'uploads')).length > 3],
    ['stores it', () => filesBelow(join(dataFolder, 'blobs/files')).length > 3],
  ])(
    'while it %s has all of the files or none, and no bytes that no table knows',
    async (_, hasBegun) => {
      for (let round = rounds(1, 10); round > 0; round--) {
        const { id } = await publish(server, token, { html_content: '<p>1' });
        const sending = upload(server, token, id, sent).then(
          ({ status }) => status,
          () => 'lost',
        );
        await Promise.race([sending, waitUntil(async () => hasBegun())]);
        await server.kill();
        const outcome = await sending;
        server = await startServer({ dataFolder });
        const { body } = await call(server, 'GET', `/api/pages/${id}/files`, { token });
        expect([0, 40]).toContain(body.files.length);
        if (outcome === 200) expect(body.files).toHaveLength(40);
        for (const { path, size } of body.files) {
          const file = await call(server, 'GET', `/api/pages/${id}/files/${path}`, { token });
          expect([file.status, file.headers.get('content-length')]).toEqual([200, String(size)]);
        }
        expect(filesBelow(join(dataFolder, 'uploads'))).toEqual([]);
        const known = await readSql<{ key: string }>(
          { dataFolder, databaseUrl: undefined },
          'select key from file_blobs union select key from blob_trash',
        );
        const keys = new Set(known.map(({ key }) => key));
        expect(filesBelow(join(dataFolder, 'blobs')).filter((name) => !keys.has(name))).toEqual([]);
        // The next round begins without blobs.
        await call(server, 'DELETE', `/api/pages/${id}`, { token });
        const left = () => readSql({ dataFolder, databaseUrl: undefined }, 'select key from file_blobs');
        await waitUntil(async () => (await left()).length === 0);
        rmSync(join(dataFolder, 'blobs/files'), { recursive: true, force: true });
      }
    },
    120_000,
  );
});

describe('on a disk that gets full', () => {
  let disk: SmallDisk;
  let server: DiskServer;
  beforeAll(async () => {
    disk = await makeSmallDisk(24);
    server = await startServerOn(disk);
  });
  afterAll(async () => {
    await server.kill();
    await disk.remove();
  });

  test('an upload gets 507 and leaves nothing, and a smaller one works', async () => {
    const { token } = await register(server, 'ada');
    const { id } = await publish(server, token, { html_content: '<p>1' });
    // The first does not fit as it arrives, the second not once it is unpacked.
    for (const megabytes of [24, 12]) {
      const response = await upload(server, token, id, { 'a.bin': random(megabytes * 1024 * 1024) });
      expect(response.status).toBe(507);
    }
    expect((await upload(server, token, id, { 'a.bin': random(65_536) })).status).toBe(200);
    const { body } = await call(server, 'GET', `/api/pages/${id}`, { token });
    expect(body.versionCount).toBe(2);
  }, 60_000);
});
