import { expect, test } from 'bun:test';
import { guessType, readCsv, readRecords } from './csv-columns.ts';
import { toCsv } from './export.ts';

test.each([
  [['1', '-2.5', '1e3', ''], 'number'],
  [['007', '1'], 'text'],
  [['+49', '1'], 'text'],
  [['9007199254740993'], 'text'],
  [['9007199254740991'], 'number'],
  [['true', 'FALSE'], 'boolean'],
  [['[1]', '{"a":2}'], 'json'],
  [['[1', '2'], 'text'],
  [['', ' '], 'text'],
] as const)('guesses that %j is %s', (cells, type) => {
  expect(guessType([...cells])).toBe(type);
});

const read = (text: string, schema: Parameters<typeof readCsv>[1] = null) => {
  const file = readCsv(text, schema);
  return readRecords(file, file.columns);
};

test('reads rows with the types of their columns, and leaves empty cells out', () => {
  const { lines, refused } = read('title,count,done,tags\nBread,2,true,"[""a""]"\n"007",,,\n');
  expect(lines).toEqual([
    { number: 2, data: { title: 'Bread', count: 2, done: true, tags: ['a'] } },
    { number: 3, data: { title: '007' } },
  ]);
  expect(refused).toEqual([]);
});

test('the schema decides the type, and each wrong row is named with its line', () => {
  const schema = { fields: { count: { type: 'number' as const }, code: { type: 'string' as const } } };
  const { lines, refused } = read('code,count\n1,2\n2,many\n3,4,5\n,\n', schema);
  expect(lines).toEqual([{ number: 2, data: { code: '1', count: 2 } }]);
  expect(refused).toEqual([
    { number: 3, reason: 'count: "many" is not a number' },
    { number: 4, reason: 'has more cells than the first line: 3' },
    { number: 5, reason: 'is empty' },
  ]);
});

test('an export comes back as it was, without its own columns', () => {
  const data = [
    { title: '=1+1', note: 'a, "b"\nc' },
    { title: "it's", note: "'quoted'" },
  ];
  const records = data.map((each, at) => ({
    id: `${at}`,
    collection: 'tasks',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    data: each,
  }));
  expect(read(toCsv(records)).lines.map((line) => line.data)).toEqual(data);
});
