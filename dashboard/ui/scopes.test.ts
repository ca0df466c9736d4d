import { expect, test } from 'bun:test';
import { SCOPE_MEANINGS } from '../../contract/scopes.ts';
import { scopeMeaning } from './scopes.ts';

test('scopes mean the same in the dashboard and on the consent screen', () => {
  for (const [scope, meaning] of Object.entries(SCOPE_MEANINGS)) expect(scopeMeaning(scope)).toBe(meaning);
});

test('a scope that is unknown is shown by its name', () => {
  expect(scopeMeaning('other:read')).toBe('other:read');
  expect(scopeMeaning('constructor')).toBe('constructor');
});
