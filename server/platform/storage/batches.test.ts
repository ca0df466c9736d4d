import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countRows, eachRow, inBatches, type Storage, startStorage } from './index.ts';

let folder: string;
let storage: Storage;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-batches-'));
  storage = await startStorage({ dataFolder: folder });
  const rows = ['c', 'a', 'e', 'b', 'd'].map((name, value) => ({
    name,
    value: String(value),
    updated_at: 0,
  }));
  await storage.db.insertInto('service_settings').values(rows).execute();
});
afterAll(async () => {
  await storage.stop();
  rmSync(folder, { recursive: true });
});

const settings = () => storage.db.selectFrom('service_settings').select(['name', 'value']);

test.each([
  [1, ['a', 'b', 'c', 'd', 'e']],
  [2, ['ab', 'cd', 'e']],
  [5, ['abcde']],
  [6, ['abcde']],
])('reads each row once, in order, in batches of %d', async (size, expected) => {
  const batches = await Array.fromAsync(inBatches(settings(), { by: 'service_settings.name', size }));
  expect(batches.map((rows) => rows.map(({ name }) => name).join(''))).toEqual(expected);
  const each = await Array.fromAsync(eachRow(settings(), { by: 'name', size }));
  expect(each.map(({ name }) => name).join('')).toBe('abcde');
});

test('keeps the conditions of the query in every batch', async () => {
  const some = settings().where('name', '!=', 'c');
  const each = await Array.fromAsync(eachRow(some, { by: 'name', size: 1 }));
  expect(each.map(({ name }) => name).join('')).toBe('abde');
  expect(await countRows(some)).toBe(4);
});

test('others get their turn after each row', async () => {
  let turns = 0;
  let turn = setImmediate(function next() {
    turns++;
    turn = setImmediate(next);
  });
  await Array.fromAsync(eachRow(settings(), { by: 'name', size: 5 }));
  clearImmediate(turn);
  expect(turns).toBeGreaterThanOrEqual(4);
});

test('reads no batch if there are no rows', async () => {
  const none = settings().where('name', '=', 'z');
  expect(await Array.fromAsync(inBatches(none, { by: 'name', size: 2 }))).toEqual([]);
  expect(await countRows(none)).toBe(0);
});
