import { expect, test } from 'bun:test';
import { BodyTurns, NoTurnError } from './body-turns.ts';

const MEGABYTE = 1024 * 1024;
const { signal } = new AbortController();

/** Starts a body and says whether it was admitted. */
function begin(turns: BodyTurns, bytes: number, until = signal) {
  const turn = { isIn: false, outcome: Promise.resolve<unknown>(undefined) };
  const waiting = turns.begin(bytes, until);
  if (!waiting) turn.isIn = true;
  else
    turn.outcome = waiting.then(
      () => {
        turn.isIn = true;
      },
      (error) => error,
    );
  return turn;
}

test('admits bodies up to the limit, and more when others have ended, in order', async () => {
  const turns = new BodyTurns(16 * MEGABYTE);
  const bodies = [8, 8, 1, 8].map((size) => begin(turns, size * MEGABYTE));
  expect(bodies.map(({ isIn }) => isIn)).toEqual([true, true, false, false]);
  expect(turns.isCrowded).toBe(true);
  turns.end(8 * MEGABYTE);
  await bodies[2]?.outcome;
  // One more megabyte was admitted, so that eight do not fit.
  expect(bodies.map(({ isIn }) => isIn)).toEqual([true, true, true, false]);
  turns.end(8 * MEGABYTE);
  await bodies[3]?.outcome;
  expect(turns.isCrowded).toBe(false);
});

test('admits a body above the limit, alone', async () => {
  const turns = new BodyTurns(4 * MEGABYTE);
  const bodies = [10, 10].map((size) => begin(turns, size * MEGABYTE));
  expect(bodies.map(({ isIn }) => isIn)).toEqual([true, false]);
  turns.end(10 * MEGABYTE);
  await bodies[1]?.outcome;
  expect(bodies[1]?.isIn).toBe(true);
});

test('small bodies never wait', () => {
  const turns = new BodyTurns(MEGABYTE);
  const bodies = [10 * MEGABYTE, 10 * MEGABYTE, 64 * 1024, 64 * 1024 + 1].map((bytes) => begin(turns, bytes));
  expect(bodies.map(({ isIn }) => isIn)).toEqual([true, false, true, false]);
});

test('a caller who disconnects gives up its turn, and waiting callers are rejected when the cell ends', async () => {
  const turns = new BodyTurns(MEGABYTE);
  begin(turns, MEGABYTE);
  const leaving = new AbortController();
  const left = begin(turns, MEGABYTE, leaving.signal);
  const waiting = begin(turns, MEGABYTE);
  leaving.abort('left');
  expect(await left.outcome).toBe('left');
  expect(turns.isCrowded).toBe(true);
  turns.close();
  expect(await waiting.outcome).toBeInstanceOf(NoTurnError);
  expect(turns.isCrowded).toBe(false);
});
