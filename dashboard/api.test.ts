import { expect, test } from 'bun:test';
import type { Done, Restored } from '../contract/fields.ts';
import type { PatchedPage } from '../contract/pages/pages.ts';
import type { WithoutMessage } from './api.ts';

type HasMessage<Answer> = 'message' extends keyof WithoutMessage<Answer> ? true : false;

test('no screen can show the sentence about a success that the API sends: it is in English', () => {
  // The compiler checks these. It also checks that no screen reads `message` from a response.
  const has: [HasMessage<Done>, HasMessage<Restored>, HasMessage<PatchedPage>] = [false, false, false];
  expect(has).toEqual([false, false, false]);
  const entry: HasMessage<{ id: number; message: string }> = true;
  expect(entry).toBe(true);
});
