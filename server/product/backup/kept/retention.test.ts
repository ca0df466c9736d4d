import { expect, test } from 'bun:test';
import { nameBackup, newestFirst, readName } from './names.ts';
import { chooseOld } from './retention.ts';

const NOW = Date.parse('2026-11-18T03:30:00Z');
const DAY_MS = 24 * 3600 * 1000;
const at = (days: number) => nameBackup({ startedAt: NOW - days * DAY_MS, userId: 0, isEncrypted: false });
const choose = (names: string[], keep: { count: number; days?: number }, bad: string[] = []) =>
  chooseOld(names, {
    ...{ made: at(0), bad: new Set(bad), now: NOW },
    keep: { count: keep.count, days: keep.days },
  });

test('the newest are kept, up to the number', () => {
  const names = [at(3), at(0), at(1), at(2)];
  expect(choose(names, { count: 4 })).toEqual([]);
  expect(choose(names, { count: 3 })).toEqual([at(3)]);
  expect(choose(names, { count: 1 })).toEqual([at(1), at(2), at(3)]);
});

test('those that are too old are deleted, and those at the limit are not', () => {
  const names = [at(0), at(1), at(30), at(31), at(90)];
  expect(choose(names, { count: 7, days: 30 })).toEqual([at(31), at(90)]);
});

test('the last good one stays, however old it is', () => {
  const names = [at(0), at(1), at(2), at(40)];
  const bad = [at(0), at(1), at(2)];
  expect(choose(names, { count: 2, days: 30 }, bad)).toEqual([at(2)]);
  expect(choose(names, { count: 2, days: 30 }, [at(0)])).toEqual([at(2), at(40)]);
});

test('a clock that jumps ahead does not make all of them too old at once', () => {
  expect(choose([at(0), at(400), at(401)], { count: 7, days: 30 })).toEqual([]);
  expect(choose([at(0), at(1), at(400), at(401)], { count: 7, days: 30 })).toEqual([at(400), at(401)]);
});

test('backups from the future do not push out the new one, nor count as the newest', () => {
  const names = [at(-400), at(-399), at(0), at(1)];
  expect(
    newestFirst(
      names.map((name) => ({ name })),
      NOW,
    ).map(({ name }) => name),
  ).toEqual([at(0), at(1), at(-400), at(-399)]);
  expect(choose(names, { count: 2 })).toEqual([at(-400), at(-399)]);
  expect(choose(names, { count: 1 })).toContain(at(1));
  // A day ahead can be the clock of another node.
  expect(choose([at(-1), at(0), at(1)], { count: 2 })).toEqual([at(1)]);
});

test('a name says when a backup was made, by whom, and whether it is encrypted', () => {
  const facts = { startedAt: NOW, userId: 12, isEncrypted: true };
  expect(nameBackup(facts)).toBe('backup-2026-11-18T03-30-00Z-12.tar.gz.age');
  expect(readName(nameBackup(facts))).toEqual(facts);
  expect(readName('backup-2026-11-18T03-30-00Z-12.tar.gz.gpg')).toBeUndefined();
});
