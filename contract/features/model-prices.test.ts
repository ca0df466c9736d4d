import { expect, test } from 'bun:test';
import { formatModels, parseModels } from './model-prices.ts';

test('models are read from a text, and written as one', () => {
  expect(parseModels('')).toEqual([]);
  const text = 'vendor/large:7b=2, odd=name=0.1';
  expect(parseModels(text)).toEqual([
    { name: 'vendor/large:7b', price: 2 },
    { name: 'odd=name', price: 0.1 },
  ]);
  expect(formatModels(parseModels(text) ?? [])).toBe(text);
});

test.each(['a', 'a=', '=1', 'a=x', 'a=0', 'a=0.009', 'a=1001', 'a=1,a=2', `${'a'.repeat(201)}=1`])(
  '%s is refused',
  (text) => {
    expect(parseModels(text)).toBeUndefined();
  },
);

test('there can be 20, and not one more', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `m${index}=1`).join();
  expect(parseModels(many(20))).toHaveLength(20);
  expect(parseModels(many(21))).toBeUndefined();
});
