import { expect, test } from 'bun:test';
import { MAX_SLUG_LENGTH as limit, slugify } from '../../../server/product/pages/slug.ts';
import { MAX_SLUG_LENGTH, spelledOut } from './slug.ts';

test.each([
  'Größe 💥 !!',
  'ŁÓDŹ þing',
  '  Æble -- Øl\tđ ',
  'ﬁne ½',
  'İstanbul ı',
  'x'.repeat(100),
  'a-b_c.d',
])('shows the slug that the service makes from %p', (text) => {
  expect(spelledOut(text)).toBe(slugify(text) ?? '');
});

test('has the same limit as the service', () => {
  expect(MAX_SLUG_LENGTH).toBe(limit);
});
