import { expect, test } from 'bun:test';
import { createTranslator, ENGLISH, phrase } from './fill.ts';

const german = createTranslator('de', {
  'The page is at version {version}.': 'Die Seite hat die Version {version}.',
  'Try again {wait}.': 'Versuche es {wait} erneut.',
  'in {count|{count} minute|{count} minutes}': { one: 'in einer Minute', other: 'in {count} Minuten' },
  '{added|{added} line|{added} lines} and {gone|{gone} line|{gone} lines} less': {
    one: { one: 'eine Zeile mehr, eine weniger', other: 'eine Zeile mehr, {gone} weniger' },
    other: { one: '{added} Zeilen mehr, eine weniger', other: '{added} Zeilen mehr, {gone} weniger' },
  },
});

test('an English text has the form for its number', () => {
  const pages = (count: number) =>
    ENGLISH.say('{count|One page|{count} pages} in {place}', { count, place: 'Rome' });
  expect([0, 1, 2, 1_000].map(pages)).toEqual([
    '0 pages in Rome',
    'One page in Rome',
    '2 pages in Rome',
    '1,000 pages in Rome',
  ]);
});

test('a translation has the form for its number, or for both', () => {
  const minutes = (count: number) => german.say('in {count|{count} minute|{count} minutes}', { count });
  expect([1, 2, 1_500].map(minutes)).toEqual(['in einer Minute', 'in 2 Minuten', 'in 1.500 Minuten']);
  const lines = '{added|{added} line|{added} lines} and {gone|{gone} line|{gone} lines} less';
  expect(german.say(lines, { added: 3, gone: 1 })).toBe('3 Zeilen mehr, eine weniger');
});

test('a language with more forms than English has them all', () => {
  const polish = createTranslator('pl', {
    '{count|{count} file|{count} files}': {
      one: '{count} plik',
      few: '{count} pliki',
      many: '{count} plików',
      other: '{count} pliku',
    },
  });
  const files = (count: number) => polish.say('{count|{count} file|{count} files}', { count });
  expect([1, 2, 5, 22, 1.5].map(files)).toEqual(['1 plik', '2 pliki', '5 plików', '22 pliki', '1,5 pliku']);
});

test('a value that is a text is translated too', () => {
  const wait = phrase('in {count|{count} minute|{count} minutes}', { count: 15 });
  expect(german.say('Try again {wait}.', { wait })).toBe('Versuche es in 15 Minuten erneut.');
  expect(ENGLISH.say('Try again {wait}.', { wait })).toBe('Try again in 15 minutes.');
});

test('nothing in a value is a place or a pattern', () => {
  const version = '{version} $& {wait}';
  expect(german.say('The page is at version {version}.', { version })).toBe(
    `Die Seite hat die Version ${version}.`,
  );
});

test.each(['Nobody has translated this.', 'constructor', 'toString', '__proto__', ''])(
  '%j stays as it is',
  (text) => {
    expect(german.has(text)).toBe(false);
    expect(german.say(text)).toBe(text);
  },
);
