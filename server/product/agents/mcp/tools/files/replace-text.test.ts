import { expect, test } from 'bun:test';
import { MAX_PAGE_FILE_BYTES } from '../../../../../../contract/rules/limits.ts';
import { MAX_PASSAGES, replaceText } from './replace-text.ts';

test('the only passage is replaced, or all that are equal', () => {
  expect(replaceText('a b c', { find: 'b', replace: '$&' })).toBe('a $& c');
  expect(replaceText('aa', { find: 'a', replace: 'ba', all: true })).toBe('baba');
  expect(() => replaceText('aa', { find: 'a', replace: '' })).toThrow('occurs 2 times');
  expect(() => replaceText('aa', { find: 'b', replace: '' })).toThrow('does not occur');
});

test('as many passages can be replaced as are allowed, and not one more', () => {
  const change = { find: 'a', replace: 'b', all: true };
  expect(replaceText('a'.repeat(MAX_PASSAGES), change)).toBe('b'.repeat(MAX_PASSAGES));
  expect(() => replaceText('a'.repeat(MAX_PASSAGES + 1), change)).toThrow('occurs more than 10,000 times');
});

test('a text can become as long as a file can be, and not longer', () => {
  const replace = 'b'.repeat(MAX_PAGE_FILE_BYTES / 2);
  expect(replaceText('aa', { find: 'a', replace, all: true })).toHaveLength(MAX_PAGE_FILE_BYTES);
  expect(() => replaceText('aac', { find: 'a', replace, all: true })).toThrow('more than 26,214,400 bytes');
  const text = 'a'.repeat(MAX_PASSAGES);
  expect(() => replaceText(text, { find: 'a', replace, all: true })).toThrow('more than 26,214,400 bytes');
});
