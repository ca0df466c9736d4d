import { expect, test } from 'bun:test';
import { SearchQuery } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { countMatches, MAX_COUNTED } from './matches.ts';

const state = (doc: string, anchor = 0, head = anchor) =>
  EditorState.create({ doc, selection: { anchor, head } });

test('counts the matches and says which one is selected', () => {
  const query = new SearchQuery({ search: 'a' });
  expect(countMatches(query, state('banana'))).toEqual({ count: 3, at: 0, isMore: false });
  expect(countMatches(query, state('banana', 3, 4))).toEqual({ count: 3, at: 2, isMore: false });
});

test('counts up to the limit, and stops past it', () => {
  const query = new SearchQuery({ search: 'a' });
  const at = (count: number) => countMatches(query, state('a'.repeat(count)));
  expect(at(MAX_COUNTED)).toEqual({ count: MAX_COUNTED, at: 0, isMore: false });
  expect(at(MAX_COUNTED + 1)).toEqual({ count: MAX_COUNTED, at: 0, isMore: true });
});

test('finds nothing for an empty search or a wrong expression', () => {
  const none = { count: 0, at: 0, isMore: false };
  expect(countMatches(new SearchQuery({ search: '' }), state('abc'))).toEqual(none);
  expect(countMatches(new SearchQuery({ search: '(', regexp: true }), state('abc('))).toEqual(none);
});
