import { describe, expect, test } from 'bun:test';
import { excerpt, summarize } from './summary.ts';

const failure = (error: string, name = 'works') => ({ suite: 'unit', file: 'a.test.ts', name, error });

describe('a summary', () => {
  test('has suite, file, name and the error without its empty lines', () => {
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

  test('shows of two values how they differ', () => {
    const same = '    "same": 1,\n'.repeat(50);
    const error = `AssertionError: expect(received).toEqual(expected)\n\n  {\n${same}-   "a": 1,\n+   "a": 2,\n  }\n\n- Expected  - 1\n+ Received  + 1\n\n      at a.test.ts:3:1`;
    expect(summarize([failure(error)], 9).slice(1)).toEqual([
      '    AssertionError: expect(received).toEqual(expected)',
      '    -   "a": 1,',
      '    +   "a": 2,',
      '          at a.test.ts:3:1',
    ]);
  });

  test('keeps to its length, and shares it among the failures', () => {
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

describe('an excerpt', () => {
  const output = 'bun test\n\na/b.test.ts:\nerror: no\n  at x\n\na/c.test.ts:\n(pass) fine\n';

  test('is what the output says of a file', () => {
    expect(excerpt(output, 'a/b.test.ts')).toBe('error: no\n  at x');
    expect(excerpt(output, 'a/c.test.ts')).toBe('(pass) fine');
    expect(excerpt(output, 'a/d.test.ts')).toBe('');
  });

  test('is the end of it without a file', () => {
    expect(excerpt(output)).toEndWith('(pass) fine');
    expect(excerpt('line\n'.repeat(99)).split('\n')).toHaveLength(15);
  });
});
