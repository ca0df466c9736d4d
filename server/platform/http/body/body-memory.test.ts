import { expect, test } from 'bun:test';
import { createBodyRoom } from './body-memory.ts';

const here = new AbortController().signal;

test('one sender gets half of the memory, and the next what is left', async () => {
  const room = createBodyRoom(100);
  expect(room.enter('ada', 50, here)).toBeUndefined();
  const waiting = room.enter('ada', 1, here);
  expect(waiting).toBeInstanceOf(Promise);
  expect(room.enter('bob', 25, here)).toBeUndefined();
  expect(room.enter('cy', 25, here)).toBeUndefined();
  const last = room.enter('dee', 1, here);
  expect(last).toBeInstanceOf(Promise);

  room.leave('cy', 25);
  await last;
  room.leave('ada', 50);
  await waiting;
  expect(room.enter('ada', 36, here)).toBeUndefined();
});

test('a sender who disconnects gets no memory, and one who waits too long is asked to try again', async () => {
  const room = createBodyRoom(100, 1);
  room.enter('ada', 100, here);
  const leaving = new AbortController();
  const left = room.enter('bob', 10, leaving.signal);
  leaving.abort();
  expect(await left?.catch((error: unknown) => error)).toMatchObject({ code: 'BAD_REQUEST' });
  const late = await room.enter('bob', 10, here)?.catch((error: unknown) => error);
  expect(late).toMatchObject({ code: 'UNAVAILABLE', headers: { 'retry-after': '5' } });
  room.leave('ada', 100);
  expect(room.enter('bob', 100, here)).toBeUndefined();
});
