import { expect, test } from 'bun:test';
import { createBodyMemory } from './body-memory.ts';

const here = new AbortController().signal;

test('one sender gets half of the memory, and the next what is left', async () => {
  const memory = createBodyMemory(100);
  expect(memory.reserve('ada', 50, here)).toBeUndefined();
  const waiting = memory.reserve('ada', 1, here);
  expect(waiting).toBeInstanceOf(Promise);
  expect(memory.reserve('bob', 25, here)).toBeUndefined();
  expect(memory.reserve('cy', 25, here)).toBeUndefined();
  const last = memory.reserve('dee', 1, here);
  expect(last).toBeInstanceOf(Promise);

  memory.release('cy', 25);
  await last;
  memory.release('ada', 50);
  await waiting;
  expect(memory.reserve('ada', 36, here)).toBeUndefined();
});

test('a sender who disconnects gets no memory, and one who waits too long is asked to try again', async () => {
  const memory = createBodyMemory(100, 1);
  memory.reserve('ada', 100, here);
  const leaving = new AbortController();
  const left = memory.reserve('bob', 10, leaving.signal);
  leaving.abort();
  expect(await left?.catch((error: unknown) => error)).toMatchObject({ code: 'BAD_REQUEST' });
  const late = await memory.reserve('bob', 10, here)?.catch((error: unknown) => error);
  expect(late).toMatchObject({ code: 'UNAVAILABLE', headers: { 'retry-after': '5' } });
  memory.release('ada', 100);
  expect(memory.reserve('bob', 100, here)).toBeUndefined();
});
