import { expect, test } from 'bun:test';
import {
  addHash,
  createSketch,
  decodeSketch,
  encodeSketch,
  estimate,
  mergeSketch,
  REGISTERS,
} from './sketch.ts';

/** A hash of a visitor, which is the same in every run. */
const hashVisitor = (visitor: number) => Bun.hash.xxHash32(`a fixed salt ${visitor}`);

function makeSketch(from: number, to: number) {
  const sketch = createSketch();
  for (let visitor = from; visitor < to; visitor++) addHash(sketch, hashVisitor(visitor));
  return sketch;
}

test.each([
  [0, 0],
  [1, 0],
  [2, 0],
  [10, 0],
  [100, 0.03],
  [1_000, 0.04],
  [5_000, 0.05],
  [20_000, 0.06],
  [1_000_000, 0.06],
])('%d visitors are counted with an error of at most %d', (visitors, error) => {
  const counted = estimate(makeSketch(0, visitors));
  expect(Math.abs(counted - visitors)).toBeLessThanOrEqual(visitors * error);
});

test('who comes again is counted once', () => {
  const sketch = makeSketch(0, 50);
  const before = estimate(sketch);
  for (let visitor = 0; visitor < 50; visitor++) addHash(sketch, hashVisitor(visitor));
  expect(estimate(sketch)).toBe(before);
});

test('merged sketches count as one that has seen all visitors', () => {
  const merged = makeSketch(0, 600);
  mergeSketch(merged, makeSketch(400, 1_000));
  expect(merged).toEqual(makeSketch(0, 1_000));
});

test.each([0, 1, 200, 681, 5_000])('a sketch of %d visitors is the same after it was stored', (visitors) => {
  const sketch = makeSketch(0, visitors);
  const text = encodeSketch(sketch);
  expect(decodeSketch(text)).toEqual(sketch);
  expect(text.length).toBeLessThanOrEqual(REGISTERS);
});

test('every hash has a register, and a run that a letter can hold', () => {
  for (const hash of [0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 21 - 1]) {
    const sketch = createSketch();
    addHash(sketch, hash);
    const runs = sketch.filter((run) => run > 0);
    expect([runs.length, (runs[0] as number) <= 22]).toEqual([1, true]);
  }
});
