import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { MAX_INDEXED_CHARACTERS, WHERE_OPERATORS } from '../../../../contract/rules/where-operators.ts';
import { byBytes, listUsableFields, toRanges } from './ranges.ts';

const text = fc.string({
  unit: fc.constantFrom('', 'a', 'b', 'é', '\uffff', '\ue000', '😀', '😁'),
  maxLength: 4,
});

test('texts are compared as engines do, by their bytes', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(byBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    { numRuns: 500 },
  );
});

test('several conditions on a field leave the keys that match all of them', () => {
  const path = ['a'];
  const values = fc.array(text, { minLength: 1, maxLength: 4 });
  const asked = fc.oneof(
    values.map((operand) => ({ kind: 'test' as const, path, operator: 'in' as const, operand })),
    text.map((operand) => ({ kind: 'test' as const, path, operator: 'ne' as const, operand })),
    text.map((operand) => ({ kind: 'test' as const, path, operator: 'gte' as const, operand })),
    text.map((operand) => ({ kind: 'test' as const, path, operator: 'lt' as const, operand })),
  );
  const isIn = (key: string, condition: Parameters<typeof toRanges>[0]) =>
    toRanges(condition, 'a')?.ranges.filter(({ from, to }) => byBytes(from, key) <= 0 && byBytes(key, to) < 0)
      .length;
  fc.assert(
    fc.property(fc.array(asked, { minLength: 1, maxLength: 5 }), text, (of, value) => {
      const key = `4${value}`;
      const matchesAll = of.every((one) => isIn(key, one) === 1);
      expect(isIn(key, { kind: 'all', of })).toBe(matchesAll ? 1 : 0);
    }),
    { numRuns: 500 },
  );
});

test.each(WHERE_OPERATORS)('an index is suggested for %s exactly if it can be used', (operator) => {
  for (const letters of [1, MAX_INDEXED_CHARACTERS, MAX_INDEXED_CHARACTERS + 1]) {
    const text = 'x'.repeat(letters);
    const operand = operator === 'in' ? [text] : operator === 'exists' ? true : text;
    const condition = { kind: 'test', path: ['a'], operator, operand } as Parameters<typeof toRanges>[0];
    expect(listUsableFields(condition)).toEqual(toRanges(condition, 'a') ? ['a'] : []);
  }
});
