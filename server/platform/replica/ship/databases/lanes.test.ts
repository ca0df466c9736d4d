import { expect, test } from 'bun:test';
import { Lanes } from './lanes.ts';

function open() {
  const clock = { ms: 1_000 };
  const lanes = new Lanes(() => clock.ms);
  const ends: Array<() => void> = [];
  const begin = (ownerId: number, isFull = false, isUrgent = true) =>
    lanes.begin({ ownerId, isFull, isUrgent }, () => new Promise<void>((end) => ends.push(end)));
  return { lanes, clock, begin, endOne: () => ends.shift()?.() };
}

test('the databases of one owner leave a lane for others', async () => {
  const { lanes, begin, endOne } = open();
  expect([begin(1), begin(1), begin(1, true)]).toEqual([true, false, false]);
  expect([begin(2), begin(3)]).toEqual([true, false]);
  endOne();
  await lanes.whenOneEnded();
  expect([begin(2), begin(1)]).toEqual([false, true]);
});

test('a full copy holds up no changes, and there is one at a time', async () => {
  const { lanes, begin, endOne } = open();
  expect([begin(1, true), begin(2, true)]).toEqual([true, false]);
  expect([begin(2), begin(3), begin(4)]).toEqual([true, true, false]);
  for (let count = 0; count < 3; count++) endOne();
  await lanes.whenIdle();
});

test('a lane rests for as long as it has worked, unless somebody waits', async () => {
  const { lanes, clock, begin, endOne } = open();
  begin(1, true);
  clock.ms += 300;
  endOne();
  await lanes.whenIdle();
  clock.ms += 299;
  expect(begin(2, true, false)).toBe(false);
  expect(begin(2, true, true)).toBe(true);
  endOne();
  await lanes.whenIdle();
  expect(begin(2, true, false)).toBe(true);
  endOne();
  await lanes.whenIdle();
});
