import { expect, test } from 'bun:test';
import { add, judge, NOTHING } from './outcome.ts';

const failure = (name: string) => ({ name, file: 'a.test.ts', error: 'Error: no' });
const first = { ...NOTHING, passed: 3, failed: 2, failures: [failure('one'), failure('two')] };

test('what passes the second time counts as passed, and is unsteady', () => {
  const second = { ...NOTHING, passed: 5 };
  expect(judge(first, second)).toEqual({ ...second, unsteady: first.failures });
});

test('what fails again has failed', () => {
  const second = { ...NOTHING, passed: 4, failed: 1, failures: [failure('two')] };
  expect(judge(first, second)).toEqual({ ...second, unsteady: [failure('one')] });
});

test('outcomes add up', () => {
  expect(add(first, { ...NOTHING, passed: 1, skipped: 1, unsteady: [failure('three')] })).toEqual({
    ...{ passed: 4, failed: 2, skipped: 1 },
    ...{ failures: first.failures, unsteady: [failure('three')] },
  });
  expect(add()).toEqual(NOTHING);
});
