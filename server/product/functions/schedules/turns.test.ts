import { expect, test } from 'bun:test';
import { RUN_MS } from './run.ts';
import { OWNER_RUNS, Turns } from './turns.ts';

const nothing = () => undefined;

test('a run is cut off when its time is over', async () => {
  expect(RUN_MS).toBe(5 * 60_000);
  const { signal } = new Turns(1, { runMs: 1 }).begin(1, nothing);
  const cutOff = Promise.withResolvers<unknown>();
  signal.addEventListener('abort', () => cutOff.resolve(signal.reason));
  expect(await cutOff.promise).toBe('late');
});

test('a run that ends in time is not cut off, and its place is free', async () => {
  const turns = new Turns(1, { runMs: 1 });
  const turn = turns.begin(1, nothing);
  expect(turns.isFreeFor(2)).toBe(false);
  const ended = Promise.withResolvers<void>();
  const changed = Promise.withResolvers<void>();
  const other = new Turns(1).begin(1, changed.resolve);
  other.finish(ended.promise);
  ended.resolve();
  await changed.promise;
  turn.finish(Promise.resolve());
  await turns.stop();
  expect(other.signal.aborted).toBe(false);
  expect(turns.isFreeFor(2)).toBe(true);
});

test('the oldest run makes place after 30 seconds, if all places are taken', () => {
  let now = 0;
  const turns = new Turns(2, { now: () => now });
  const first = turns.begin(1, nothing);
  now = 10_000;
  turns.makePlace();
  const second = turns.begin(2, nothing);
  now = 29_999;
  turns.makePlace();
  expect(first.signal.aborted).toBe(false);
  now = 30_000;
  turns.makePlace();
  expect([first.signal.reason, second.signal.aborted]).toEqual(['place', false]);
});

test('an owner with two runs makes place before owners with one', () => {
  let now = 0;
  const turns = new Turns(3, { now: () => now });
  const [first, second, third] = [1, 2, 2].map((owner) => turns.begin(owner, nothing));
  now = 30_000;
  turns.makePlace();
  const aborted = [first, second, third].map((turn) => turn?.signal.aborted);
  expect(aborted).toEqual([false, true, false]);
});

test('a run goes on after 30 seconds if there is place', () => {
  let now = 0;
  const turns = new Turns(2, { now: () => now });
  const { signal } = turns.begin(1, nothing);
  now = 60_000;
  turns.makePlace();
  expect(signal.aborted).toBe(false);
});

test('an owner has two runs at a time, and one turn until everyone else had one', () => {
  const turns = new Turns(10);
  expect([turns.serve(1), turns.serve(1), turns.serve(2)]).toEqual([true, false, true]);
  turns.served.clear();
  for (let run = 0; run < OWNER_RUNS; run++) {
    expect(turns.serve(1)).toBe(true);
    turns.begin(1, nothing).onBegun();
    turns.served.clear();
  }
  expect([turns.serve(1), turns.serve(2)]).toEqual([false, true]);
  expect(turns.busyOwners()).toEqual([1]);
});
