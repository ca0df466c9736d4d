import { expect, test } from 'bun:test';
import { toCsv } from './export.ts';
import { readLines } from './import.ts';

const record = (data: Record<string, unknown>) => ({
  collection: 'tasks',
  id: 'x',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  data,
});

test('writes CSV with all fields, quoted where needed and without formulas', () => {
  const text = toCsv([
    record({ title: 'a "b", c', count: -3 }),
    { ...record({ title: '=1+1', tags: ['x', 'y'], gone: null }), createdBy: { id: 1, username: 'ada' } },
  ]);
  const start = 'x,2026-01-01T00:00:00.000Z,2026-01-01T00:00:00.000Z';
  expect(text).toBe(
    [
      'id,createdAt,updatedAt,createdBy,title,count,tags,gone',
      `${start},,"a ""b"", c",-3,,`,
      `${start},ada,'=1+1,,"[""x"",""y""]",`,
      '',
    ].join('\r\n'),
  );
});

test('reads NDJSON, an array, one object and an export, and reports other lines by number', () => {
  const numbers = (text: string) => readLines(text).lines.map(({ number, data }) => [number, data]);
  expect(numbers('{"a":1}\n\n{"a":2}\r\n')).toEqual([
    [1, { a: 1 }],
    [3, { a: 2 }],
  ]);
  expect(numbers('[{"a":1},{"a":2}]')).toEqual([
    [1, { a: 1 }],
    [2, { a: 2 }],
  ]);
  expect(numbers('{\n  "a": 1\n}')).toEqual([[1, { a: 1 }]]);
  expect(numbers(`${JSON.stringify(record({ b: 1 }))}\n${JSON.stringify({ data: { b: 1 } })}`)).toEqual([
    [1, { b: 1 }],
    [2, { data: { b: 1 } }],
  ]);
  expect(readLines('{"a":1}\nnonsense\n[1]\n7').refused).toEqual([
    { number: 2, reason: 'is not valid JSON' },
    { number: 3, reason: 'is not a JSON object' },
    { number: 4, reason: 'is not a JSON object' },
  ]);
  expect(readLines('')).toEqual({ lines: [], refused: [] });
});
