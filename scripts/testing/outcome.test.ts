import { expect, test } from 'bun:test';
import { add, addUnreported, NOTHING } from './outcome.ts';

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

test('a file without a test, and a run that ends badly after its tests, have failed', () => {
  const passed = { ...NOTHING, passed: 1 };
  const both = ['a.test.ts', 'b.test.ts'];
  const named = (outcomes: ReturnType<typeof addUnreported>) =>
    [...outcomes.values()].flatMap(({ failures }) => failures.map(({ name, file }) => `${file}: ${name}`));
  const one = new Map([['a.test.ts', passed]]);
  expect(named(addUnreported(one, ['a.test.ts'], undefined))).toEqual([]);
  expect(named(addUnreported(one, both, undefined))).toEqual(['b.test.ts: no test ran']);
  expect(named(addUnreported(one, ['a.test.ts'], 'ended with code 1'))).toEqual([
    'a.test.ts: bun test ended with code 1',
  ]);
  // Tests that failed are the reason, and are named already.
  const bad = new Map([['a.test.ts', { ...passed, failed: 1, failures: [failure('one')] }]]);
  expect(named(addUnreported(bad, ['a.test.ts'], 'ended with code 1'))).toEqual(['a.test.ts: one']);
});
