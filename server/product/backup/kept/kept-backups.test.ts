import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../../../../test/support/server.ts';
import { createLog } from '../../../platform/http/index.ts';
import { type Storage, startStorage } from '../../../platform/storage/index.ts';
import { listBackups } from '../list.ts';
import { diskPlace } from './disk.ts';
import { KeptBackups } from './kept-backups.ts';
import type { BackupPlace } from './place.ts';
import { findRun } from './store.ts';

/** Tests of events between two steps of a backup or a request: several nodes share a database and a place. */

const ADA = { user: { userId: 1, username: 'ada' }, address: '127.0.0.1' };
const START = Date.parse('2026-03-01T00:00:00Z');

let folder: string;
let storage: Storage;
let now: number;
let nodes: Array<{ backups: KeptBackups; end(text: string): void }>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-kept-'));
  storage = await startStorage({ dataFolder: folder });
  now = START;
  nodes = [];
});
afterEach(async () => {
  for (const { backups, end } of nodes) {
    end('');
    await backups.stop();
  }
  await storage.stop();
  rmSync(folder, { recursive: true });
});

/** Callbacks of a node: after it has listed the backups, and before it finishes one. */
interface Meanwhile {
  listed?: () => Promise<unknown>;
  finishing?: () => Promise<unknown>;
}

/** A node whose archives end when the test says so. */
function node(meanwhile: Meanwhile = {}) {
  const place = diskPlace(join(folder, 'backups'));
  const once = async (step: keyof Meanwhile) => {
    const act = meanwhile[step];
    delete meanwhile[step];
    await act?.();
  };
  const watched: BackupPlace = {
    ...place,
    async list() {
      const kept = await place.list();
      await once('listed');
      return kept;
    },
    async create(name) {
      const writer = await place.create(name);
      return {
        ...writer,
        async finish() {
          await once('finishing');
          await writer.finish();
        },
      };
    },
  };
  let end: (text: string) => void = () => undefined;
  let breakOff: (text: string) => void = () => undefined;
  const backups = new KeptBackups({
    place: watched,
    db: storage.db,
    isAlone: false,
    log: createLog('silent', { write: () => undefined }),
    now: () => now,
    keep: { count: 10, days: undefined },
    encrypt: undefined,
    listBad: async () => new Set(),
    start: () =>
      new ReadableStream({
        start(controller) {
          end = (text) => {
            end = () => undefined;
            controller.enqueue(Buffer.from(text));
            controller.close();
          };
          breakOff = (text) => {
            end = () => undefined;
            controller.enqueue(Buffer.from(text));
            queueMicrotask(() => controller.error(new Error('broken off')));
          };
        },
        cancel() {
          end = () => undefined;
        },
      }),
  });
  nodes.push({ backups, end: (text) => end(text) });
  return {
    backups,
    list: () =>
      listBackups({
        place: watched,
        db: storage.db,
        log: createLog('silent', { write: () => undefined }),
        now: () => now,
        keep: { count: 10, days: undefined },
        isEncrypted: false,
        readUsernames: async () => new Map([[1, 'ada']]),
        readSchedule: async () => null,
        isLate: async () => false,
      }),
    async complete(text: string) {
      end(text);
      await waitUntil(async () => (await findRun(storage.db)) === undefined);
    },
    async breakOff(text: string) {
      breakOff(text);
      await waitUntil(async () => typeof (await findRun(storage.db))?.problem === 'string');
    },
  };
}

const listed = async () =>
  (await node().list()).backups.map(({ name, state, bytes }) => ({ name, state, bytes }));

test('one runs at a time, on whichever node', async () => {
  const nodes = [node(), node(), node()];
  const tries = await Promise.allSettled(nodes.map(({ backups }) => backups.make(ADA)));
  expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  const [running] = await listed();
  expect(running?.state).toBe('running');
  await nodes[tries.findIndex(({ status }) => status === 'fulfilled')]?.complete('whole');
  expect(await listed()).toEqual([{ name: running?.name ?? '', state: 'complete', bytes: 5 }]);
});

test('a backup that becomes complete while they are listed is in the list', async () => {
  const first = node();
  const { name } = await first.backups.make(ADA);
  const second = node({ listed: () => first.complete('whole') });
  const { backups } = await second.list();
  expect(backups.map((each) => each.name)).toEqual([name]);
  expect(await listed()).toEqual([{ name, state: 'complete', bytes: 5 }]);
});

test('a second one of the same second does not replace one that has just become complete', async () => {
  const first = node();
  const { name } = await first.backups.make(ADA);
  const second = node({ listed: () => first.complete('whole') });
  await expect(second.backups.make(ADA)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await listed()).toEqual([{ name, state: 'complete', bytes: 5 }]);
});

test('more than one can be made in a second, one after the other', async () => {
  const names: string[] = [];
  for (const text of ['a', 'bb', 'ccc']) {
    const { backups, complete } = node();
    names.unshift((await backups.make(ADA)).name);
    await complete(text);
  }
  expect((await listed()).map(({ name, bytes }) => ({ name, bytes }))).toEqual([
    { name: names[0] ?? '', bytes: 3 },
    { name: names[1] ?? '', bytes: 2 },
    { name: names[2] ?? '', bytes: 1 },
  ]);
});

test('a backup that is taken for dead while it is finished is not kept', async () => {
  const other = node();
  let kept = '';
  const slow = node({
    async finishing() {
      now += 61_000;
      kept = (await other.backups.make(ADA)).name;
      await other.complete('of the other');
    },
  });
  await slow.backups.make(ADA);
  await slow.complete('slow');
  await slow.backups.stop();
  expect(await listed()).toEqual([{ name: kept, state: 'complete', bytes: 12 }]);
});

test('a backup that breaks off is listed as failed, and leaves no part of it', async () => {
  const { backups, breakOff } = node();
  const { name } = await backups.make(ADA);
  await breakOff('half');
  expect(readdirSync(join(folder, 'backups'))).toEqual([]);
  expect(await listed()).toEqual([{ name, state: 'failed', bytes: expect.any(Number) }]);
});
