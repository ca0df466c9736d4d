import { expect, test } from 'bun:test';
import { DATABASE_HEADERS, formatMoved } from '../../protocol.ts';
import { Moved, PLACE, Place } from './place.ts';

/** A place with its storage; `restart` opens it again, as after the end of its host. */
function openPlace(shard: number, { home = shard, isEmpty = true } = {}) {
  const stored = new Map<string, unknown>();
  const storage = {
    async put(key: string, value: unknown) {
      stored.set(key, value);
    },
    sync: async () => undefined,
  };
  const options = { shard, storage, isEmpty: () => isEmpty, findHome: async () => home };
  const open = () => new Place(options, stored.get(PLACE) as ConstructorParameters<typeof Place>[1]);
  return { place: open(), restart: open };
}

const ask = (place: Place, from?: { shard: number; number: number }) => {
  const headers = new Headers(from && { [DATABASE_HEADERS.moved]: formatMoved(from) });
  return place.admit(headers).then(
    () => 'here',
    (error: unknown) => (error instanceof Moved ? formatMoved(error.to) : String(error)),
  );
};

test('a database that was written is here, and an empty one where it belongs', async () => {
  expect(openPlace(1, { isEmpty: false }).place.isHere).toBe(true);
  expect(await ask(openPlace(1).place)).toBe('here');
  expect(await ask(openPlace(1, { home: 3 }).place)).toBe('3.0');
});

test('a place that a database has left runs nothing, also after a restart', async () => {
  const { place, restart } = openPlace(1, { isEmpty: false });
  expect(await place.leaving()).toBe(1);
  expect(await ask(restart())).toBe('here');
  await place.left({ shard: 3, number: 1 });
  for (const left of [place, restart()]) {
    expect(await ask(left)).toBe('3.1');
    expect(() => left.assertNotMoved()).toThrow(Moved);
    expect(await left.arriving({ from: 3, number: 1 })).toBe(false);
  }
});

test('a place opens only for those who come from the place that was left', async () => {
  const { place, restart } = openPlace(3, { home: 1 });
  expect(await place.arriving({ from: 1, number: 2 })).toBe(true);
  expect(await ask(place)).toBe('1.0');
  expect(await ask(place, { shard: 3, number: 1 })).toBe('1.0');
  expect(await ask(restart(), { shard: 2, number: 2 })).toBe('1.0');
  expect(await ask(restart(), { shard: 3, number: 2 })).toBe('here');
  expect(await ask(restart())).toBe('here');
});

test('an attempt that was given up replaces neither a later copy nor a database that is here', async () => {
  const { place, restart } = openPlace(3, { home: 1 });
  await place.arriving({ from: 1, number: 1 });
  expect(await place.arriving({ from: 1, number: 2 })).toBe(true);
  expect(place.isArriving(1)).toBe(false);
  expect(await place.arriving({ from: 1, number: 1 })).toBe(false);
  await ask(place, { shard: 3, number: 2 });
  expect(await restart().arriving({ from: 1, number: 3 })).toBe(false);
  expect(await openPlace(3, { isEmpty: false }).place.arriving({ from: 1, number: 9 })).toBe(false);
});

test('a database can come back to a place that it has left', async () => {
  const { place, restart } = openPlace(1, { isEmpty: false });
  await place.leaving();
  await place.left({ shard: 3, number: 1 });
  expect(await restart().arriving({ from: 3, number: 2 })).toBe(true);
  expect(await ask(restart(), { shard: 1, number: 2 })).toBe('here');
});

test('only what a database has left can be removed, and what never arrived if it was removed', async () => {
  const left = openPlace(1, { isEmpty: false }).place;
  expect([left.canForget(false), left.canForget(true)]).toEqual([false, false]);
  await left.left({ shard: 3, number: 1 });
  expect([left.canForget(false), left.canForget(true)]).toEqual([true, true]);
  const arriving = openPlace(3).place;
  await arriving.arriving({ from: 1, number: 1 });
  expect([arriving.canForget(false), arriving.canForget(true)]).toEqual([false, true]);
});
