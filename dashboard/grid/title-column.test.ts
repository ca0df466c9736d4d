import { expect, test } from 'bun:test';
import type { ColumnType } from './columns.ts';
import { chooseTitle } from './title-column.ts';

const column = (key: string, type: ColumnType = 'text', ...samples: unknown[]) => ({ key, type, samples });

test.each<[string | undefined, ReturnType<typeof column>[]]>([
  ['title', [column('note', 'text', 'x'), column('title', 'text', 'A')]],
  ['Name', [column('email', 'text', 'a@b.c'), column('Name', 'text', 'Ada')]],
  ['title', [column('name', 'text', 'Ada'), column('title', 'text', 'Hi')]],
  ['guest_name', [column('note', 'text', 'x'), column('guest_name', 'text', 'Ada')]],
  ['productTitle', [column('sku', 'text', 'x'), column('productTitle', 'text', 'Chair')]],
  ['Frage', [column('a', 'text', 'x'), column('Frage', 'text', 'Warum?')]],
  // A name alone is not enough: the values must be texts.
  ['city', [column('title', 'object', {}), column('name', 'any', 1, 2), column('city', 'text', 'Bonn')]],
  ['city', [column('name', 'any', 'Ada', 3), column('city', 'text', 'Bonn')]],
  ['title', [column('title', 'text'), column('city', 'text', 'Bonn')]],
  ['state', [column('n', 'number', 1), column('state', 'choice', 'open')]],
  // Long texts, several lines, addresses and ids do not name a row.
  ['short', [column('long', 'text', 'x'.repeat(81)), column('short', 'text', 'x'.repeat(80))]],
  ['b', [column('a', 'text', 'one\ntwo'), column('b', 'text', '<b>', null, '')]],
  ['b', [column('a', 'text', 'https://example.com'), column('b', 'text', 'x')]],
  ['b', [column('a', 'text', '019a0c6e-0000-7000-8000-000000000000'), column('b', 'text', 'x')]],
  [undefined, [column('a', 'text', 'x'.repeat(1_000_000)), column('n', 'number', 1)]],
  [undefined, [column('a', 'text')]],
  [undefined, []],
])('chooses %p', (title, columns) => {
  expect(chooseTitle(columns)).toBe(title as string);
});
