import { expect, test } from 'bun:test';
import { addSearch } from './search.ts';

const read = (text: string | undefined) =>
  JSON.parse(text ?? 'null') as { or: Array<Record<string, object>> };

test('without words or fields, the filter stays as it is', () => {
  expect(addSearch(undefined, '', ['a'])).toBeUndefined();
  expect(addSearch('{"a":1}', '', ['a'])).toBe('{"a":1}');
  expect(addSearch('{"a":1}', 'x', [])).toBe('{"a":1}');
});

test('asks for the usual spellings in every field that the API can query', () => {
  expect(read(addSearch(undefined, 'ada l', ['name', 'a.b', 'a"b'])).or).toEqual([
    { name: { contains: 'ada l' } },
    { name: { contains: 'Ada l' } },
    { name: { contains: 'Ada L' } },
    { name: { contains: 'ADA L' } },
  ]);
  expect(read(addSearch(undefined, '42', ['n'])).or).toEqual([{ n: { eq: 42 } }, { n: { contains: '42' } }]);
});

test('the filter must match too, and one that is not JSON is left for the API to refuse', () => {
  expect(JSON.parse(addSearch('{"a":1}', '1', ['b']) ?? '')).toEqual({
    and: [{ a: 1 }, { or: [{ b: { eq: 1 } }, { b: { contains: '1' } }] }],
  });
  expect(addSearch('{"a":', 'x', ['b'])).toBe('{"a":');
});

test('many fields, long names and long words stay within the limits of the API', () => {
  const fields = Array.from({ length: 500 }, (_, at) => `field${at}`);
  const all = read(addSearch(undefined, 'Word', fields)).or;
  expect(all.length).toBe(70);
  expect(all[0]).toEqual({ field0: { contains: 'Word' } });
  const long = fields.map((name) => name.padEnd(200, 'x'));
  expect((addSearch(undefined, '\\'.repeat(200), long) ?? '').length).toBeLessThan(15_100);
});
