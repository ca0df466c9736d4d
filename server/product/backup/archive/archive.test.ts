import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compress } from '../../../lib/formats/gzip.ts';
import { TAR_END, tarHeader, tarPadding } from '../../../lib/formats/tar-writer.ts';
import { startStorage } from '../../../platform/storage/index.ts';
import { ArchiveError, checkArchive, restoreArchive } from '../index.ts';
import { fingerprint } from './manifest.ts';
import { type ArchiveEntry, entry, pack } from './pack.ts';

const SECRET = 'a key of at least thirty-two characters';
const MANIFEST = {
  format: 1,
  quire: '0.1.0',
  engine: 'postgres',
  migration: '0001-tables',
  createdAt: '2026-01-01T00:00:00.000Z',
  baseUrl: 'http://localhost:3000',
  secret: { kept: 'archive', fingerprint: fingerprint(Buffer.from(SECRET)) },
};
const ADA = {
  id: 7,
  username: 'ada',
  email: 'a@example.com',
  password_hash: 'x',
  is_admin: 0,
  created_at: 1,
};
const USERS = makeEntry('tables/users/000001.ndjson', `${JSON.stringify(ADA)}\n`);
const TOTALS = { rows: { users: 1 }, sequences: { users: 9 }, blobs: 0, databases: 0, missing: [] };

type Content = [name: string, content: string];
function makeEntry(name: string, content: string): Content {
  return [name, content];
}
const json = (name: string, value: unknown): Content => [name, JSON.stringify(value)];
const start = (changes = {}) => json('manifest.json', { ...MANIFEST, ...changes });
const end = (changes = {}) => json('totals.json', { ...TOTALS, ...changes });
const secret: Content = ['secret', SECRET];

let folder: string;
let dataFolder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-archive-'));
  dataFolder = join(folder, 'data');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function* inOrder(contents: Content[]): AsyncGenerator<ArchiveEntry> {
  for (const [name, content] of contents) yield entry(name, content);
}
const makeArchive = (...contents: Content[]) => zip(pack(inOrder(contents), 0));

async function zip(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(compress(bytes)));
}
const toStream = (bytes: Buffer) => new Blob([bytes as never]).stream() as ReadableStream<Uint8Array>;
const whole = () => makeArchive(start(), secret, USERS, end());

/** Expects that a check and a restore refuse the archive with this message, and that nothing is left. */
async function expectRefused(archive: Buffer, why: string): Promise<void> {
  const refusal = { name: 'Error', message: expect.stringContaining(why) };
  await expect(checkArchive(toStream(archive))).rejects.toMatchObject(refusal);
  await expectNotRestored(archive, why);
}
async function expectNotRestored(archive: Buffer, why: string, given?: string): Promise<void> {
  const restoring = restoreArchive(toStream(archive), { dataFolder, secret: given });
  const error = await restoring.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(ArchiveError);
  expect((error as Error).message).toContain(why);
  expect(readdirSync(dataFolder)).toEqual([]);
}

test('a complete archive is restored, and ids continue where they were', async () => {
  const archive = await whole();
  expect((await checkArchive(toStream(archive))).totals).toEqual(TOTALS);
  await restoreArchive(toStream(archive), { dataFolder });
  const storage = await startStorage({ dataFolder });
  const { id: _, ...bob } = { ...ADA, username: 'bob', email: 'b@example.com' };
  const next = await storage.db.insertInto('users').values(bob).returning('id').executeTakeFirstOrThrow();
  await storage.stop();
  expect(next.id).toBe(10);
  expect(readdirSync(dataFolder)).not.toContain('.restoring');
});

describe('refuses, and leaves nothing behind:', () => {
  test('an archive cut off anywhere', async () => {
    const archive = await makeArchive(
      start(),
      secret,
      USERS,
      ['blobs/images/x', 'noise '.repeat(50)],
      end({ blobs: 1 }),
    );
    for (let length = 0; length < archive.length; length += Math.ceil(archive.length / 40)) {
      await expect(checkArchive(toStream(archive.subarray(0, length)))).rejects.toBeInstanceOf(ArchiveError);
    }
    await expectRefused(archive.subarray(0, -1), 'incomplete');
  });

  test('an archive without its last files', async () => {
    const pieces = await Array.fromAsync(pack(inOrder([start(), secret, USERS, end()]), 0));
    async function* early() {
      // Yields everything except the checksum of checksums, with a valid end.
      yield* pieces.slice(0, -4);
      yield TAR_END;
    }
    await expectRefused(await zip(early()), 'incomplete');
  });

  test('an archive with one flipped bit, anywhere', async () => {
    const tar = Buffer.concat(await Array.fromAsync(pack(inOrder([start(), secret, USERS, end()]), 0)));
    // A space after the checksum of a header means nothing.
    const used = [...tar.keys()].filter((at) => ![0, 0x20, 0x30].includes(tar[at] ?? 0));
    for (let i = 0; i < used.length; i += Math.ceil(used.length / 60)) {
      const at = used[i] ?? 0;
      const damaged = Buffer.from(tar);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      const archive = await zip([damaged] as never);
      await expect(checkArchive(toStream(archive))).rejects.toBeInstanceOf(ArchiveError);
    }
    const archive = await whole();
    const middle = Math.floor(archive.length / 2);
    archive[middle] = (archive[middle] ?? 0) ^ 1;
    await expect(checkArchive(toStream(archive))).rejects.toBeInstanceOf(ArchiveError);
  });

  test.each([
    '../x',
    '/etc/passwd',
    'blobs/../../x',
    'blobs/.ssh',
    'databases/1/../../x.sqlite',
    'databases/0/x.sqlite',
    'tables/users/../x.ndjson',
    'quire.db',
  ])('the name %s', async (name) => {
    await expectRefused(await makeArchive(start(), secret, [name, 'x'], USERS, end()), 'does not belong');
  });

  test.each(['1', '2', '5', 'x', 'L'])('a file of type %s', async (type) => {
    const header = Buffer.from(tarHeader({ name: 'blobs/x', size: 0, modifiedAt: 0 }));
    header.write(type, 156);
    const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const first = JSON.stringify(MANIFEST);
    const opening = tarHeader({ name: 'manifest.json', size: first.length, modifiedAt: 0 });
    const archive = await zip([
      opening,
      Buffer.from(first),
      tarPadding(first.length),
      header,
      TAR_END,
    ] as never);
    await expectRefused(archive, 'not a plain file');
  });

  test.each([
    ['secret', 4097],
    ['tables/users/000001.ndjson', 64 * 1024 * 1024 + 1],
    ['blobs/x', 64 * 1024 * 1024 + 1],
    [`databases/1/${'a'.repeat(64)}.sqlite`, 2 ** 40 + 1],
  ])('%s of %d bytes, before it is read', async (name, size) => {
    const first = JSON.stringify(MANIFEST);
    const opening = tarHeader({ name: 'manifest.json', size: first.length, modifiedAt: 0 });
    const huge = tarHeader({ name, size, modifiedAt: 0 });
    const archive = await zip([opening, Buffer.from(first), tarPadding(first.length), huge] as never);
    await expectRefused(archive, 'too large');
  });

  test('a database for which the disk has no space', async () => {
    const first = JSON.stringify(MANIFEST);
    const opening = tarHeader({ name: 'manifest.json', size: first.length, modifiedAt: 0 });
    const huge = tarHeader({ name: `databases/1/${'a'.repeat(64)}.sqlite`, size: 2 ** 40, modifiedAt: 0 });
    const archive = await zip([opening, Buffer.from(first), tarPadding(first.length), huge] as never);
    await expectNotRestored(archive, 'has no space');
  });

  test.each<[string, string, Content[]]>([
    ['of a later format', 'newer', [start({ format: 2 }), secret, USERS, end()]],
    ['with later tables', 'Update Quire', [start({ migration: '9999-later' }), secret, USERS, end()]],
    ['that begins with something else', 'not a Quire archive', [secret, start(), USERS, end()]],
    [
      'with fewer rows than announced',
      '2 rows of users',
      [start(), secret, USERS, end({ rows: { users: 2 } })],
    ],
    ['with fewer files than announced', '1 files', [start(), secret, USERS, end({ blobs: 1 })]],
    ['with another secret', 'secret', [start(), ['secret', 'x'], USERS, end()]],
    ['with files after its end', 'after the end', [start(), secret, end(), USERS]],
    ['with no totals', 'incomplete', [start(), secret, USERS]],
    [
      'with lines that are not rows',
      'not a row',
      [start(), secret, ['tables/users/000001.ndjson', '{"id":[1]}'], end()],
    ],
  ])('an archive %s', async (_what, why, contents) => {
    await expectRefused(await makeArchive(...contents), why);
  });

  test.each<[string, string, Content]>([
    ['for an unknown table', 'no table', makeEntry('tables/nothing/000001.ndjson', '{"id":1}\n')],
    ['for the migrations', 'no table', makeEntry('tables/kysely_migration/000001.ndjson', '{"name":"x"}\n')],
    [
      'with an unknown column',
      'cannot be put back',
      makeEntry('tables/users/000001.ndjson', '{"nothing":1}\n'),
    ],
    [
      'without a parent',
      'cannot be put back',
      makeEntry('tables/usage/000001.ndjson', '{"user_id":1,"pages":0,"functions":0,"bytes":0}\n'),
    ],
  ])('rows %s', async (_what, why, rows) => {
    await expectNotRestored(await makeArchive(start(), secret, rows, end()), why);
  });

  test.each<[string, string, Content[], object]>([
    [
      'inside another',
      'a/b cannot be written',
      [
        ['blobs/a', 'x'],
        ['blobs/a/b', 'x'],
      ],
      { blobs: 2 },
    ],
    [
      'a folder already',
      'a cannot be written',
      [
        ['blobs/a/b', 'x'],
        ['blobs/a', 'x'],
      ],
      { blobs: 2 },
    ],
  ])('files where one is %s', async (_what, why, files, totals) => {
    await expectNotRestored(await makeArchive(start(), secret, USERS, ...files, end(totals)), why);
  });

  test('an archive without its secret', async () => {
    await expectNotRestored(await makeArchive(start(), USERS, end()), 'secret is missing');
  });
});

describe('the key', () => {
  test('of the archive conflicts with another key in the settings', async () => {
    await expectNotRestored(await whole(), 'Unset it', 'another key of more than 32 characters');
    await restoreArchive(toStream(await whole()), { dataFolder, secret: SECRET });
  });

  test('of the operator must be given again', async () => {
    const kept = { secret: { ...MANIFEST.secret, kept: 'setting' } };
    const archive = await makeArchive(start(kept), USERS, end());
    await expectNotRestored(archive, 'Set QUIRE_SECRET');
    await expectNotRestored(archive, 'Set QUIRE_SECRET', 'another key of more than 32 characters');
    await restoreArchive(toStream(archive), { dataFolder, secret: SECRET });
    expect(readdirSync(dataFolder)).not.toContain('secret');
  });
});

test('tables of an earlier version are migrated', async () => {
  const archive = await makeArchive(start({ migration: '0033-purge-indexes' }), secret, USERS, end());
  await restoreArchive(toStream(archive), { dataFolder });
  const storage = await startStorage({ dataFolder, migrateTo: 'as they are' });
  // A later migration has added this column.
  const oldSlugs = await storage.db.selectFrom('page_old_slugs').select('left_at').execute();
  await storage.stop();
  expect(oldSlugs).toEqual([]);
});

test('a folder that is not empty is not changed', async () => {
  mkdirSync(dataFolder);
  writeFileSync(join(dataFolder, 'mine.txt'), 'mine');
  await expect(restoreArchive(toStream(await whole()), { dataFolder })).rejects.toThrow('is not empty');
  expect(readdirSync(dataFolder)).toEqual(['mine.txt']);
});

test('the remains of a killed restore do not prevent another', async () => {
  mkdirSync(join(dataFolder, '.restoring', 'blobs'), { recursive: true });
  writeFileSync(join(dataFolder, 'lock'), '');
  await restoreArchive(toStream(await whole()), { dataFolder });
  expect(readdirSync(dataFolder)).toContain('quire.db');
});
