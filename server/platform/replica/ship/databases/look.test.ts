import { expect, test } from 'bun:test';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../../../../test/support/data/replica.ts';
import { DatabaseLook } from './look.ts';

const INNER = 'inner';
const HOUR_S = 3600;

const toFile = (digit: number) => String(digit).repeat(64);

function makeDatabases(owners: number) {
  const folder = makeFolder();
  const inside = (owner: number) => join(folder, String(owner), INNER);
  const touch = (owner: number, secondsAgo = HOUR_S) => {
    const at = Date.now() / 1000 - secondsAgo;
    utimesSync(inside(owner), at, at);
  };
  for (let owner = 1; owner <= owners; owner++) {
    mkdirSync(inside(owner), { recursive: true });
    for (const digit of [1, 2]) writeFileSync(join(inside(owner), `${toFile(digit)}.sqlite`), 'x');
    touch(owner);
  }
  const look = new DatabaseLook(folder, INNER);
  return { folder, inside, touch, look: () => look.look() };
}

test('looks at all databases first, and then only at those that somebody has open', () => {
  const { inside, touch, look } = makeDatabases(50);
  expect(look()).toHaveLength(100);
  expect(look()).toEqual([]);
  const path = join(inside(7), `${toFile(1)}.sqlite`);
  writeFileSync(`${path}-wal`, '');
  touch(7, HOUR_S - 10);
  const [before] = look().filter(({ file }) => file === toFile(1));
  expect(before).toMatchObject({ ownerId: 7, bytes: 1 });
  writeFileSync(`${path}-wal`, 'written');
  const [after, ...others] = look();
  expect(others).toEqual([]);
  expect(after).toMatchObject({ ownerId: 7, file: toFile(1), bytes: 8 });
  expect(after?.stamp).not.toBe(before?.stamp);
});

test('lists a folder again that may have changed within the same tick, and names what has gone once', () => {
  const { folder, inside, touch, look } = makeDatabases(2);
  look();
  touch(1, 0);
  expect(look()).toHaveLength(2);
  expect(look()).toHaveLength(2);
  rmSync(join(inside(1), `${toFile(2)}.sqlite`));
  touch(1, HOUR_S - 20);
  const found = look().map(({ file, stamp }) => `${file}: ${stamp === '' ? 'gone' : 'there'}`);
  expect(found.sort()).toEqual([`${toFile(1)}: there`, `${toFile(2)}: gone`]);
  expect(look()).toEqual([]);
  rmSync(join(folder, '2'), { recursive: true });
  expect(look().map(({ ownerId, stamp }) => [ownerId, stamp])).toEqual([
    [2, ''],
    [2, ''],
  ]);
  expect(look()).toEqual([]);
});

test('sees an owner and a database that are new', () => {
  const { folder, look } = makeDatabases(1);
  look();
  mkdirSync(join(folder, '9', INNER), { recursive: true });
  writeFileSync(join(folder, '9', INNER, `${toFile(3)}.sqlite`), 'xyz');
  writeFileSync(join(folder, '9', INNER, 'other.txt'), 'xyz');
  expect(look()).toMatchObject([{ ownerId: 9, file: toFile(3), bytes: 3 }]);
});
