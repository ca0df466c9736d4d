import { expect, test } from 'bun:test';
import { readReports } from './reports.ts';

test('reads messages with and without a place', () => {
  const console = [
    { level: 'error', text: 'x is not defined', script: 0, line: 7, column: 3 },
    { level: 'log', text: 'hi' },
    { level: 'warn', text: 'in a file', file: 2, line: 1 },
  ];
  expect(readReports({ console })).toEqual(console as never);
});

test('leaves out what is not a message, and places that are not numbers', () => {
  const console = [null, 1, 'x', [], {}, { level: 'fatal', text: 'x' }, { level: 'log', text: 1 }];
  expect(readReports({ console })).toEqual([]);
  for (const message of [null, undefined, 'x', { console: {} }, { console: 'x' }])
    expect(readReports(message)).toEqual([]);
  const odd = [
    { file: -1, line: 1 },
    { file: 0, line: 0 },
    { file: 0, line: 1.5 },
    { file: 0, line: Number.NaN },
    { file: '0', line: 1 },
    { file: 0, line: 1e9 },
  ];
  const read = readReports({ console: odd.map((place) => ({ level: 'log', text: 'x', ...place })) });
  expect(read).toEqual(odd.map(() => ({ level: 'log', text: 'x' })));
});

test('takes 100 messages of 2,000 characters at once, and no more', () => {
  const many = (count: number, length: number) =>
    readReports({
      console: Array.from({ length: count }, () => ({ level: 'log', text: 'x'.repeat(length) })),
    });
  expect([many(100, 1).length, many(101, 1).length]).toEqual([100, 100]);
  expect([many(1, 2000)[0]?.text.length, many(1, 2001)[0]?.text.length]).toEqual([2000, 2000]);
});
