import { expect, test } from 'bun:test';
import { PreviewConsole } from './console.ts';

const PATHS = { path: 'index.html', paths: ['js/app.js'], scripts: [{ line: 3, column: 9 }] };

test('names the file of each message, and marks the lines of errors', () => {
  const made = new PreviewConsole();
  made.add(
    [
      { level: 'error', text: 'in the document', script: 0, line: 2, column: 2 },
      { level: 'error', text: 'in a file', file: 0, line: 9 },
      { level: 'warn', text: 'only said', file: 0, line: 1 },
      { level: 'error', text: 'somewhere', file: 7, line: 1 },
    ],
    PATHS,
  );
  expect(made.entries.value.map(({ path, line }) => [path, line])).toEqual([
    ['index.html', 4],
    ['js/app.js', 9],
    ['js/app.js', 1],
    [undefined, undefined],
  ]);
  expect(Object.fromEntries(made.faults())).toEqual({
    'index.html': [{ line: 4, column: 2, message: 'in the document', severity: 'error' }],
    'js/app.js': [{ line: 9, message: 'in a file', severity: 'error' }],
  });
});

test('counts a message that repeats, and keeps the newest 300', () => {
  const made = new PreviewConsole();
  const say = (text: string) => made.add([{ level: 'log', text }], PATHS);
  for (const _ of Array(5)) say('again');
  expect(made.entries.value).toEqual([{ level: 'log', text: 'again', count: 5 }]);
  for (const n of Array(299).keys()) say(`message ${n}`);
  expect(made.entries.value[0]?.text).toBe('again');
  say('one more');
  expect([made.entries.value.length, made.entries.value[0]?.text]).toEqual([300, 'message 0']);
});
