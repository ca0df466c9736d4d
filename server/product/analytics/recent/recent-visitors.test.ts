import { expect, test } from 'bun:test';
import type { PageCounts } from '../pending.ts';
import { addHash, createSketch } from '../sketch.ts';
import { RecentVisitors } from './recent-visitors.ts';

const MINUTE = 60_000;

/** A batch with visitors of pages: numbers that stand for people. */
function batch(visitors: Record<number, number[]>) {
  const pages = Object.entries(visitors).map(([pageId, people]) => {
    const sketch = createSketch();
    for (const person of people) addHash(sketch, Math.imul(person, 2_654_435_761) >>> 0);
    return [Number(pageId), { sketch } as PageCounts] as const;
  });
  return { pages: new Map(pages) };
}

test('counts different people of each page, for five minutes', () => {
  const recent = new RecentVisitors();
  recent.add(batch({ 1: [1, 2], 2: [1] }), 0);
  recent.add(batch({ 1: [2, 3] }), 4 * MINUTE);
  expect([...recent.count([1, 2, 3], 4 * MINUTE)]).toEqual([
    [1, 3],
    [2, 1],
  ]);
  expect([...recent.count([2, 1], 5 * MINUTE)]).toEqual([[1, 2]]);
  expect([...recent.count([1], 9 * MINUTE)]).toEqual([]);
});

test('pages of others, and pages that only machines loaded, are left out', () => {
  const recent = new RecentVisitors();
  recent.add({ pages: new Map([[1, { sketch: undefined } as PageCounts]]) }, 0);
  recent.add(batch({ 2: [1] }), 0);
  expect(recent.count([1, 3], 0).size).toBe(0);
});

test('what strangers can fill is limited: the oldest is forgotten, and so many pages are counted', () => {
  const recent = new RecentVisitors(201);
  const [one] = batch({ 1: [1] }).pages.values();
  const many = (start: number, count: number) => ({
    pages: new Map(Array.from({ length: count }, (_, at) => [start + at, one as PageCounts])),
  });
  recent.add(many(1, 1), 0);
  recent.add(many(2, 200), 1);
  expect(recent.count([1], 1).size).toBe(1);
  recent.add(many(300, 1), 2);
  expect(recent.count([1], 2).size).toBe(0);
  const all = Array.from({ length: 500 }, (_, at) => at);
  expect(recent.count(all.slice(0, 202), 2).size).toBe(200);
  expect(recent.count(all, 2).size).toBe(200);
});
