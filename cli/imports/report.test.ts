import { expect, test } from 'bun:test';
import { sayReport } from './report.ts';

test('names with line breaks do not look like more lines of a report', () => {
  const said = sayReport({
    ...{ kind: 'worker', digest: 'a'.repeat(64), more_left: 0, published: null },
    page: { name: 'Nice\nLeft\u2028  nothing', files: 0, bytes: 1, spa: false },
    functions: [
      { slug: 'x', hasDatabase: false, migrations: [], schedules: ['0 1 * * *\r\nTaken'], secrets: [] },
    ],
    taken: [{ path: 'a.js', as: 'code', size: 1, function: 'x' }],
    left: [{ path: 'b.js', why: 'imports https://x.test/\n  c.js' }],
  });
  expect(said.split(/[\n\r\u2028]/)).toEqual([
    'Page      Nice Left   nothing: 1 file, 1 KB',
    'Function  x, with the schedule 0 1 * * * Taken',
    'Taken',
    '  a.js  code of x',
    'Left',
    '  b.js  imports https://x.test/   c.js',
  ]);
});
