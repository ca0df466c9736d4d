import { expect, test } from 'bun:test';
import { gapIn } from './rules.ts';

test.each([
  [{ type: 'string', pattern: '^[a-z]+$' }, undefined],
  [{ type: 'string', pattern: '(' }, 'x has a pattern that cannot be used'],
  [{ type: 'string', pattern: 5 }, 'x has a pattern that cannot be used'],
  [{ type: 'enum', values: ['open', 3] }, undefined],
  [{ type: 'enum' }, 'x has no list of values'],
  [{ type: 'array' }, undefined],
  [{ type: 'array', items: { type: 'enum' } }, 'x.items has no list of values'],
  [{ type: 'object', properties: { city: { type: 'town' } } }, 'x.city has no known type'],
  [{ type: 'object', properties: { city: 'town' } }, 'x.city is not an object'],
  [{ type: 'number', min: 0 }, undefined],
  [{ type: 'date' }, undefined],
])('finds what is missing from %j', (field, gap) => {
  expect(gapIn({ x: field } as never)).toBe(gap as never);
});
