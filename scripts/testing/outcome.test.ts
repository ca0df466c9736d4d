import { expect, test } from 'bun:test';
import { add, NOTHING } from './outcome.ts';

const failure = (name: string) => ({ name, file: 'a.test.ts', error: 'Error: no' });

test('adds outcomes up', () => {
  const first = {
    ...NOTHING,
    passed: 3,
    failed: 2,
    milliseconds: 5,
    failures: [failure('one'), failure('two')],
  };
  const second = {
    ...NOTHING,
    passed: 1,
    failed: 1,
    skipped: 1,
    milliseconds: 2,
    failures: [failure('three')],
  };
  expect(add(first, second)).toEqual({
    ...{ passed: 4, failed: 3, skipped: 1, milliseconds: 7 },
    failures: [failure('one'), failure('two'), failure('three')],
  });
  expect(add()).toEqual(NOTHING);
});
