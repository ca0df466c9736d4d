import { expect, test } from 'bun:test';
import { cooldownEnd, RUNS_FOR_OWNER } from '../../../../workers/protocol.ts';
import { Cooldowns } from './cooldowns.ts';

test('the owner of the last statement waits, four times longer each time, and an hour at most', () => {
  let now = 0;
  const cooldowns = new Cooldowns(() => now);
  expect(cooldowns.begin()).toBeUndefined();
  const lengths: number[] = [];
  for (let i = 0; i < 6; i++) {
    expect(cooldowns.readLine(`${RUNS_FOR_OWNER}12`)).toBe(true);
    expect(cooldowns.readLine(`${RUNS_FOR_OWNER}7`)).toBe(true);
    expect(cooldowns.readLine('quire-run 1')).toBe(false);
    expect(cooldowns.begin()).toBe(7);
    lengths.push(cooldownEnd(cooldowns.format(), '7') - now);
    now += lengths[i] ?? 0;
  }
  expect(lengths).toEqual([30_000, 120_000, 480_000, 1_920_000, 3_600_000, 3_600_000]);
  expect(cooldowns.begin()).toBeUndefined();
  expect(cooldowns.format()).toBe(`7=${now}`);
});

test('a cooldown is forgotten two hours after its end', () => {
  let now = 0;
  const cooldowns = new Cooldowns(() => now);
  const beginAt = (time: number) => {
    now = time;
    cooldowns.readLine(`${RUNS_FOR_OWNER}7`);
    cooldowns.begin();
    return cooldownEnd(cooldowns.format(), '7') - now;
  };
  expect(beginAt(0)).toBe(30_000);
  expect(beginAt(30_000 + 7_200_000 - 1)).toBe(120_000);
  expect(beginAt(now + 120_000 + 7_200_000)).toBe(30_000);
  now += 30_000 + 7_200_001;
  expect(cooldowns.format()).toBe('');
});

test('no other owner has a cooldown', () => {
  const ends = [
    ['', '7'],
    ['17=5 70=6', '7'],
    ['17=5 7=6', '7'],
    ['17=5', ''],
  ] as const;
  expect(ends.map(([text, owner]) => cooldownEnd(text, owner))).toEqual([0, 0, 6, 0]);
});
