import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { MAX_SLUG_LENGTH, slugify, slugStem, spelledOut } from './page-slugs.ts';

test('any text becomes a valid slug, and a slug stays the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const slug = slugify(text);
      if (slug === undefined) return;
      expect(slug).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])$/);
      expect(slug).not.toContain('--');
      expect(slug.length).toBeLessThanOrEqual(MAX_SLUG_LENGTH);
      expect(slugify(slug)).toBe(slug);
    }),
    { numRuns: 2000 },
  );
});

test('a number still fits after the stem of the longest slug', () => {
  const stem = slugStem('a'.repeat(MAX_SLUG_LENGTH));
  expect(`${stem}9999999`.length).toBe(MAX_SLUG_LENGTH);
  expect(slugStem('short')).toBe('short-');
});

test('a text is transliterated to ASCII, and only the slug is cut', () => {
  expect(spelledOut('Größe 💥 !!')).toBe('grosse');
  expect(spelledOut('  Æble -- Øl\tđ ')).toBe('aeble-ol-d');
  expect(spelledOut('x'.repeat(101))).toHaveLength(101);
  expect(slugify('x'.repeat(101))).toHaveLength(100);
  expect(slugify('💥 x')).toBeUndefined();
});
