import { expect, test } from 'bun:test';
import { MappingShare } from './mapping-share.ts';

const MB = 1_000_000;

function setUp() {
  const clock = { now: 1_000 };
  return { clock, share: new MappingShare(() => clock.now) };
}

test('a version with a large map waits before it is read again, and one with a small map does not', () => {
  const { clock, share } = setUp();
  share.count('large', 3 * MB);
  share.count('small', 1_000);
  clock.now += 2_999;
  expect([share.isFree('large'), share.isFree('small')]).toEqual([false, true]);
  clock.now += 1;
  expect(share.isFree('large')).toBe(true);
});

test('all together can use 5 MB a second', () => {
  const { clock, share } = setUp();
  share.count('a', 4 * MB);
  expect(share.isFree('b')).toBe(true);
  share.count('b', 4 * MB);
  expect(share.isFree('c')).toBe(false);
  clock.now += 601;
  expect(share.isFree('c')).toBe(true);
});

test('those with small maps come first', () => {
  const { share } = setUp();
  share.count('large', 3 * MB);
  share.count('small', 1_000);
  const order = share.inOrder(['large', 'small', 'new'].map((version): [string, null] => [version, null]));
  expect(order.map(([version]) => version)).toEqual(['new', 'small', 'large']);
});
