import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { byBytes, toRanges } from './ranges.ts';

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
