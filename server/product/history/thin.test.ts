import { expect, test } from 'bun:test';
import { chooseThinned, type Fineness, type Thinnable } from './thin.ts';

const HOUR = 3600 * 1000;
const DAY = 24 * HOUR;
const NOW = 1_000 * DAY;

const moments = (times: number[], fields: Partial<Thinnable> = {}): Thinnable[] =>
  times.map((at, id) => ({ id, at, name: null, cause_kind: null, ...fields }));
const left = (all: Thinnable[], fineness: Fineness = 'minutes') => {
  const thinned = new Set(chooseThinned(all, { now: NOW, days: 30, fineness }));
  return all.filter((each) => !thinned.has(each)).map(({ at }) => at);
};

test('keeps every moment of a day, one of each hour for a week, and one of each day for a month', () => {
  const minutes = Array.from({ length: 40 * 24 * 60 }, (_, index) => NOW - 40 * DAY + index * 60_000);
  const kept = left(moments(minutes));
  const within = (from: number, to: number) => kept.filter((at) => at >= NOW - from && at < NOW - to).length;
  expect(within(DAY, 0)).toBe(24 * 60);
  expect(within(7 * DAY, DAY)).toBe(6 * 24);
  expect(within(30 * DAY, 7 * DAY)).toBe(23);
  expect(within(100 * DAY, 30 * DAY)).toBe(0);
  // The last one of an hour stays.
  expect(kept.filter((at) => at < NOW - DAY && at >= NOW - 7 * DAY)[0]).toBe(NOW - 7 * DAY + HOUR - 60_000);
});

test('never removes moments with a name, nor the newest, and keeps what came before risky actions for a week', () => {
  expect(left(moments([NOW - 900 * DAY, NOW - 800 * DAY]))).toEqual([NOW - 800 * DAY]);
  const named = moments([NOW - 900 * DAY, NOW - 800 * DAY, NOW], { name: 'kept' });
  expect(left(named)).toHaveLength(3);
  const close = [NOW - 2 * DAY, NOW - 2 * DAY + 1, NOW];
  expect(left(moments(close, { cause_kind: 'deploy' }))).toEqual(close);
  expect(left(moments(close, { cause_kind: 'deploy' }), 'hours')).toEqual(close.slice(1));
  expect(left(moments([NOW - 3 * HOUR, NOW - 2 * HOUR, NOW - 1]), 'days')).toEqual([NOW - 1]);
});
