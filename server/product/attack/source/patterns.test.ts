import { expect, test } from 'bun:test';
import { compilePattern } from '../../../../contract/rules/pattern.ts';
import { inventMatch, takesMarkup } from './patterns.ts';

test.each([
  '^[0-9 +/-]{6,20}$',
  '^\\+?[0-9 ]{7,16}$',
  '^97[89]-?[0-9]{10}$',
  '^[^@ ]+@[^@ ]+$',
  '^[\\w.+-]+@[\\w-]+\\.[a-z]{2,}$',
  '^#(?:[0-9a-f]{3}|[0-9a-f]{6})$',
  '^(?P<day>\\d{2})\\.\\d{2}\\.\\d{4}$',
  '^https?://',
  '(?i)^(yes|no|maybe)$',
  '^\\p{Lu}\\p{L}+( \\p{Lu}\\p{L}+)*$',
  '^[]x]+$',
  '^[[:digit:]]{5}$',
  'room \\(\\d+\\)',
  '^(a|b(c|d){2})+$',
  '^.*$',
])('invents a text that matches %s', (pattern) => {
  for (let times = 0; times < 20; times++) {
    const text = inventMatch(pattern);
    expect(text === undefined || !compilePattern(pattern)?.matcher(text).find()).toBe(false);
  }
});

test('invents texts of a length, and different ones', () => {
  const texts = Array.from({ length: 20 }, () =>
    inventMatch('^[A-Z]{2}[0-9]+$', { minLength: 10, maxLength: 12 }),
  );
  for (const text of texts) expect(text).toMatch(/^[A-Z]{2}\d{8,10}$/);
  expect(new Set(texts).size).toBeGreaterThan(10);
  expect(inventMatch('^[0-9]{4}$', { minLength: 5 })).toBeUndefined();
  expect(inventMatch('^(?=a)b$')).toBeUndefined();
});

test('writes no endless text for repetitions of repetitions', () => {
  for (const pattern of ['^((((a+)+)+)+)+$', `^${'(x'.repeat(60)}${')*'.repeat(60)}$`])
    expect((inventMatch(pattern) ?? '').length).toBeLessThanOrEqual(400);
});

test('knows which patterns take markup', () => {
  expect(takesMarkup('^[0-9 +]{6,18}$', '123 456')).toBe(false);
  expect(takesMarkup('^[^@ ]+@[^@ ]+$', 'a@example.com')).toBe(true);
  expect(takesMarkup('^https?://', 'https://x')).toBe(true);
});
