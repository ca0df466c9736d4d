import { expect, test } from 'bun:test';
import type { PageRow } from '../../../platform/storage/index.ts';
import { rememberSources } from './sources.ts';

const page = (id: number, version = 1) => ({ id, version }) as PageRow;

test('a source is read once in ten seconds, and again in a new version and after a failure', async () => {
  let now = 0;
  let isBroken = false;
  const read: number[] = [];
  const readSource = rememberSources(
    async ({ id }) => {
      read.push(id);
      if (isBroken) throw new Error('cannot be read');
      return `source of ${id}`;
    },
    () => now,
  );
  await Promise.all([readSource(page(1)), readSource(page(1)), readSource(page(2))]);
  now = 9_999;
  expect(await readSource(page(1))).toBe('source of 1');
  expect(read).toEqual([1, 2]);
  await readSource(page(1, 2));
  now = 30_000;
  isBroken = true;
  await expect(readSource(page(1, 2))).rejects.toThrow('cannot be read');
  isBroken = false;
  await readSource(page(1, 2));
  expect(read).toEqual([1, 2, 1, 1, 1]);
});

test('few sources are kept', async () => {
  const read: number[] = [];
  const readSource = rememberSources(
    async ({ id }) => String(read.push(id)),
    () => 0,
  );
  for (let id = 0; id <= 20; id++) await readSource(page(id));
  await readSource(page(20));
  expect(read).toHaveLength(21);
  await readSource(page(0));
  expect(read).toHaveLength(22);
});
