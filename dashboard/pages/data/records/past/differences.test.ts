import { expect, test } from 'bun:test';
import { compareChanges } from './differences.ts';

const by = { id: 1, username: 'ada' };
const change = (action: 'update' | 'delete' | 'restore', before: Record<string, unknown> | null) => ({
  at: '2026-01-01T00:00:00.000Z',
  by,
  action,
  before,
});

test('each change has the fields that differ from the one after it', () => {
  const changes = [change('update', { a: 2, b: [1] }), change('update', { a: 1, c: true })];
  expect(compareChanges(changes, { a: 2, b: [1, 2] }).map(({ differences }) => differences)).toEqual([
    [{ field: 'b', before: [1], after: [1, 2] }],
    [
      { field: 'a', before: 1, after: 2 },
      { field: 'c', before: true, after: undefined },
      { field: 'b', before: undefined, after: [1] },
    ],
  ]);
});

test('a deletion and a return have the whole record', () => {
  const changes = [change('restore', null), change('delete', { a: 1 })];
  expect(compareChanges(changes, { a: 1 }).map(({ differences }) => differences)).toEqual([
    [{ field: 'a', before: undefined, after: 1 }],
    [{ field: 'a', before: 1, after: undefined }],
  ]);
});
