import { expect, test } from 'bun:test';
import { createRests, RUNS, restOf } from './cooldowns.ts';

test('whoever ran last rests, four times longer each time and an hour at most', () => {
  let now = 0;
  const rests = createRests(() => now);
  expect(rests.strike()).toBeUndefined();
  const lengths: number[] = [];
  for (let i = 0; i < 6; i++) {
    expect(rests.hear(`${RUNS}12`)).toBe(true);
    expect(rests.hear(`${RUNS}7`)).toBe(true);
    expect(rests.hear('quire-run 1')).toBe(false);
    expect(rests.strike()).toBe(7);
    lengths.push(restOf(rests.toText(), '7') - now);
    now += lengths[i] ?? 0;
  }
  expect(lengths).toEqual([30_000, 120_000, 480_000, 1_920_000, 3_600_000, 3_600_000]);
  expect(rests.strike()).toBeUndefined();
  expect(rests.toText()).toBe(`7=${now}`);
});

test('it is forgotten two hours after the rest', () => {
  let now = 0;
  const rests = createRests(() => now);
  const strikeAgainAt = (time: number) => {
    now = time;
    rests.hear(`${RUNS}7`);
    rests.strike();
    return restOf(rests.toText(), '7') - now;
  };
  expect(strikeAgainAt(0)).toBe(30_000);
  expect(strikeAgainAt(30_000 + 7_200_000 - 1)).toBe(120_000);
  expect(strikeAgainAt(now + 120_000 + 7_200_000)).toBe(30_000);
  now += 30_000 + 7_200_001;
  expect(rests.toText()).toBe('');
});

test('nobody else rests', () => {
  expect([restOf('', '7'), restOf('17=5 70=6', '7'), restOf('17=5 7=6', '7'), restOf('17=5', '')]).toEqual([
    0, 0, 6, 0,
  ]);
});
