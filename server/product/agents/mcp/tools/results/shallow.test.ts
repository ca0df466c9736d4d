import { expect, test } from 'bun:test';
import { MAX_JSON_DEPTH } from '../../../../../lib/json.ts';
import { parseShallow } from './shallow.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

test('parses JSON up to the limit, and returns deeper JSON as text', () => {
  expect(parseShallow('{"a":[1,null,"x"]}')).toEqual({ a: [1, null, 'x'] });
  expect(parseShallow('no JSON')).toBe('no JSON');
  expect(parseShallow(nested(MAX_JSON_DEPTH))).toBeArray();
  expect(parseShallow(nested(MAX_JSON_DEPTH + 1))).toBe(nested(MAX_JSON_DEPTH + 1));
  const objects = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  expect(parseShallow(objects)).toBe(objects);
});
