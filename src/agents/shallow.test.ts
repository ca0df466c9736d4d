import { expect, test } from 'bun:test';
import { MAX_LEVELS, parseShallow } from './shallow.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

test('JSON up to the limit is read, and one level more stays text', () => {
  expect(parseShallow('{"a":[1,null,"x"]}')).toEqual({ a: [1, null, 'x'] });
  expect(parseShallow('no JSON')).toBe('no JSON');
  expect(parseShallow(nested(MAX_LEVELS))).toBeArray();
  expect(parseShallow(nested(MAX_LEVELS + 1))).toBe(nested(MAX_LEVELS + 1));
  const objects = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  expect(parseShallow(objects)).toBe(objects);
});
