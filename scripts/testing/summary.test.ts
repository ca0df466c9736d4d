import { describe, expect, test } from 'bun:test';
import { NOTHING } from './outcome.ts';
import { summarize, tabulate } from './summary.ts';

const failure = (error: string, name = 'works') => ({ suite: 'unit', file: 'a.test.ts', name, error });

describe('a summary', () => {
  test('has the suite, file, name and error, without empty lines', () => {
    expect(
      summarize(
        [failure('\u001b[31mError: no\u001b[0m\n\nCall log:\n  - waiting\n      at a.test.ts:3:1')],
        9,
      ),
    ).toEqual([
      'unit: a.test.ts: works',
      '    Error: no',
      '    Call log:',
      '      - waiting',
      '          at a.test.ts:3:1',
    ]);
  });

  test('shows how two values differ', () => {
    const same = '    "same": 1,\n'.repeat(50);
    const error = `AssertionError: expect(received).toEqual(expected)\n\n  {\n${same}-   "a": 1,\n+   "a": 2,\n  }\n\n- Expected  - 1\n+ Received  + 1\n\n      at a.test.ts:3:1`;
    expect(summarize([failure(error)], 9).slice(1)).toEqual([
      '    AssertionError: expect(received).toEqual(expected)',
      '    -   "a": 1,',
      '    +   "a": 2,',
      '          at a.test.ts:3:1',
    ]);
  });

  test('has a maximum length, which the failures share', () => {
    const long = failure(
      `${Array.from({ length: 99 }, (_, line) => `line ${line}`).join('\n')}\n    at a.test.ts:3:1`,
    );
    expect(summarize([long, long], 8)).toEqual([
      ...['unit: a.test.ts: works', '    line 0', '    …', '        at a.test.ts:3:1'],
      ...['unit: a.test.ts: works', '    line 0', '    …', '        at a.test.ts:3:1'],
    ]);
    const many = Array.from({ length: 9 }, (_, n) => failure('Error', `test ${n}`));
    expect(summarize(many, 8)).toHaveLength(8);
    expect(summarize(many, 8).at(-1)).toBe('… and 2 more');
    expect(summarize([failure('x'.repeat(999))], 8)[1]).toHaveLength(204);
  });
});

test('a table has the counts and the time of each suite', () => {
  const outcomes = new Map([
    ['unit', { ...NOTHING, passed: 12, milliseconds: 3456 }],
    ['browser', { ...NOTHING, passed: 1, failed: 2, skipped: 3, milliseconds: 123_456 }],
  ]);
  expect(tabulate(outcomes)).toEqual([
    'unit     12 passed                        3.5 s',
    'browser  1 passed, 2 FAILED, 3 skipped  123.5 s',
  ]);
});
