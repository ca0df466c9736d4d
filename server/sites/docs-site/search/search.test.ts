import { expect, test } from 'bun:test';
import { MAX_QUERY } from '../layout.ts';
import { makeNavigation } from '../navigation.ts';
import { DOCS_FOLDER, fillShelf } from '../shelf.ts';
import { buildIndex } from './build.ts';
import { search } from './find.ts';

/** The search in the real documentation. */

const shelf = fillShelf(DOCS_FOLDER, 'https://quire.example');
const index = await buildIndex(makeNavigation(shelf), shelf);
const find = (query: string) => search(index, query, 8);
const first = (query: string) => find(query)[0]?.href;

test.each([
  ['domain', '/docs/domains'],
  ['Forms', '/docs/forms'],
  ['backups', '/docs/administration#backups'],
  ['connect a model', '/docs/providers#connect-a-model'],
  ['webhook secret', '/docs/functions'],
  ['QUIRE_BASE_URL', '/docs/'],
  ['quire_ai_prov', '/docs/'],
  ['quick sta', '/docs/quick-start'],
  ['how do I schedule a function', '/docs/functions#schedules'],
  ['who is the visitor in a function', '/docs/functions#who-calls'],
  ['to', '/docs/'],
])('%s is found in %s', (query, href) => {
  expect(first(query)).toStartWith(href);
});

test('every result leads to a heading that exists, and marks the words', () => {
  for (const { href, title, excerpt } of find('restore archive')) {
    expect(href).toMatch(/^\/docs\/[\w/-]+(#[\w-]+)?$/);
    expect(title).not.toBe('');
    const marked = excerpt.filter(({ isMatch }) => isMatch).map(({ text }) => text.toLowerCase());
    expect(marked.every((word) => /^(restor|archiv)/.test(word))).toBe(true);
    expect(excerpt.map(({ text }) => text).join('').length).toBeLessThan(300);
  }
  expect(find('restore archive').length).toBeGreaterThan(2);
});

test('words that are nowhere together are found apart, and nonsense is not found', () => {
  expect(find('passkey postgresql whiteboard').length).toBeGreaterThan(0);
  expect(find('xyzzyplugh')).toEqual([]);
  for (const empty of ['', '   ', '!?', '"', '<>', '%', '/../', '\u0000']) expect(find(empty)).toEqual([]);
});

test('a hostile query is only a query', () => {
  for (const query of [
    'a'.repeat(1_000_000),
    'a '.repeat(100_000),
    '<script>alert(1)</script>',
    'constructor __proto__ toString',
    '(a+)+$',
    '\ud800 \u202e 🐝',
  ])
    expect(find(query).length).toBeLessThanOrEqual(8);
  expect(MAX_QUERY).toBe(200);
});

test('every document says who it is for, below its title', () => {
  const silent = [...shelf.documents].filter(([, { audience }]) => !audience?.startsWith('For '));
  expect(silent.map(([name]) => name)).toEqual([]);
});
