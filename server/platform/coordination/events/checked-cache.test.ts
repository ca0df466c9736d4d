import { expect, test } from 'bun:test';
import type { Broadcast } from './broadcast.ts';
import { CheckedCache, type CheckedEntry } from './checked-cache.ts';

/** A node that does not hear from the others. */
const deaf = { isSingleNode: false, isReceiving: false, onGap: () => undefined } as unknown as Broadcast;

test('a change while an entry is read again after a comparison is not missed', async () => {
  let row = { id: 1, slug: 'wall', stamp: 'one' };
  let meanwhile = () => {};
  const entries = new Map<number, CheckedEntry>();
  const cache = new CheckedCache<CheckedEntry>({
    broadcast: deaf,
    createStore: (onRemove) => ({
      get: (id) => entries.get(id),
      add: (entry) => void entries.set(entry.id, entry),
      remove(id) {
        const entry = entries.get(id);
        entries.delete(id);
        if (entry) onRemove(entry);
      },
    }),
    async read(_key, onId) {
      const found = { ...row };
      onId(found.id);
      meanwhile();
      return found;
    },
    readStamp: async () => row.stamp,
  });
  const kept = await cache.load('wall');
  if (!kept) throw new Error('the entry was not read');
  // Old enough to be compared before it is used.
  kept.checkedAt = Number.NEGATIVE_INFINITY;
  row = { ...row, stamp: 'two' };
  meanwhile = () => {
    row = { ...row, stamp: 'three' };
    cache.drop(1);
  };
  expect((await cache.load('wall'))?.stamp).toBe('two');
  meanwhile = () => {};
  expect(cache.bySlug('wall')).toBeUndefined();
  expect((await cache.load('wall'))?.stamp).toBe('three');
  expect(cache.bySlug('wall')?.stamp).toBe('three');
});
