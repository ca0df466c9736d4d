import { expect, test } from 'bun:test';
import { SlowReads } from './slow-reads.ts';

test('lists the fields of a collection, the last read first', () => {
  const reads = new SlowReads();
  reads.note(1, ['status', 'price']);
  reads.note(1, ['status']);
  reads.note(2, []);
  expect([1, 2, 3].map((id) => reads.list(id))).toEqual([['status', 'price'], [], []]);
});

test('forgets the oldest fields and collections when there are many', () => {
  const reads = new SlowReads();
  for (let n = 0; n < 20; n++) reads.note(1, [`field${n}`]);
  expect(reads.list(1)).toEqual(Array.from({ length: 8 }, (_, n) => `field${19 - n}`));
  reads.note(2, ['a']);
  for (let id = 3; id <= 1_001; id++) reads.note(id, ['a']);
  expect([1, 2].map((id) => reads.list(id))).toEqual([[], ['a']]);
});
