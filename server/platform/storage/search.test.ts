import { expect, test } from 'bun:test';
import type { Db } from './handles.ts';
import { createSearch } from './search.ts';

test('searches run one at a time where slow reads do, and callers take turns', async () => {
  const slowDb = {} as Db;
  const search = createSearch(slowDb);
  const done: string[] = [];
  let running = 0;
  const ask = (caller: string, word: string) =>
    search(caller, async (db) => {
      expect(db).toBe(slowDb);
      expect(++running).toBe(1);
      await Promise.resolve();
      running--;
      done.push(word);
    });
  await Promise.all([ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1')]);
  expect(done).toEqual(['a1', 'a2', 'b1', 'a3']);
});
