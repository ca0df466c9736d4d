import { describe, expect, test } from 'bun:test';
import { OwnerShareError, type Place, Places, PoolFullError } from './places.ts';

/** Places with busy cells, except those in `idle`. */
function placesWith(max: number, perOwner: number) {
  const idle: Array<{ owner: number; place: Place }> = [];
  const reclaimed: Array<number | null> = [];
  const places = new Places({
    max,
    perOwner,
    evict(owner) {
      const at = idle.findIndex((cell) => owner === undefined || cell.owner === owner);
      const [cell] = at < 0 ? [] : idle.splice(at, 1);
      cell?.place.release();
      return cell !== undefined;
    },
    reclaim(owner) {
      reclaimed.push(owner);
      // The place becomes free soon, but not during this test.
      return new Promise(() => undefined);
    },
  });
  return { places, idle, reclaimed };
}

/** The outcome of each request, by name, in order. */
function asking(places: Places) {
  const outcomes: string[] = [];
  const ask = (name: string, owner: number) =>
    places.take(owner).then(
      (place) => {
        outcomes.push(name);
        return place;
      },
      (error: Error) => {
        outcomes.push(`${name}: ${error.constructor.name}`);
      },
    );
  return { outcomes, ask };
}

describe('places', () => {
  test('are limited to the share of an owner', async () => {
    const { places } = placesWith(8, 2);
    const [first] = await Promise.all([places.take(1), places.take(1)]);
    expect(places.tryTake(1)).toBeUndefined();
    const late = places.take(1);
    const others = await Promise.all([places.take(2), places.take(3)]);
    expect([places.heldBy(1), others.length, places.size]).toEqual([2, 2, 4]);
    expect(await late.catch((error: unknown) => error)).toEqual(new OwnerShareError(2));
    first?.release();
    first?.release();
    expect([places.heldBy(1), places.size]).toEqual([1, 3]);
    await places.take(1);
  });

  test('with an idle cell go first to the owner of that cell, if they have used up their share', async () => {
    const { places, idle } = placesWith(8, 2);
    const place = await places.take(1);
    await places.take(1);
    idle.push({ owner: 2, place: await places.take(2) }, { owner: 1, place });
    await places.take(1);
    expect([places.heldBy(1), places.heldBy(2), idle.map(({ owner }) => owner)]).toEqual([2, 1, [2]]);
  });

  test('that become free go to the owner with the fewest, not to the first who asked', async () => {
    const { places } = placesWith(5, 4);
    const held = await Promise.all([1, 1, 1, 2, 3].map((owner) => places.take(owner)));
    const { outcomes, ask } = asking(places);
    const waiting = [ask('first of 1', 1), ask('second of 1', 1), ask('of 2', 2), ask('of 4', 4)];
    for (const place of [held[4], held[0], held[1], held[2]]) {
      const before = outcomes.length;
      place?.release();
      while (outcomes.length === before) await Bun.sleep(1);
    }
    expect(outcomes).toEqual(['of 4', 'of 2', 'first of 1', 'second of 1']);
    await Promise.all(waiting);
  });

  test('are not blocked by an owner who waits for more than their share', async () => {
    const { places } = placesWith(4, 1);
    await places.take(1);
    const { outcomes, ask } = asking(places);
    const greedy = Array.from({ length: 50 }, () => ask('greedy', 1));
    await ask('modest', 2);
    expect(outcomes).toEqual(['modest']);
    places.stop();
    await Promise.all(greedy);
  });

  test('are taken from the owner who has most when all are busy, if that is fairer', async () => {
    const { places, reclaimed } = placesWith(4, 3);
    const [held] = await Promise.all([places.take(1), places.take(1), places.take(1), places.take(2)]);
    const waiting = places.take(3);
    expect(reclaimed).toEqual([1]);
    held?.release();
    await waiting;
    expect([places.heldBy(1), places.heldBy(3)]).toEqual([2, 1]);
  });

  test('are not taken from an owner who would then have fewer', async () => {
    const equal = placesWith(2, 1);
    await Promise.all([equal.places.take(1), equal.places.take(2)]);
    expect(await equal.places.take(3).catch((error: unknown) => error)).toBeInstanceOf(PoolFullError);
    expect(equal.reclaimed).toEqual([]);
  });

  test('allow replacing the only cell of a share of one', async () => {
    const { places } = placesWith(4, 1);
    await places.take(1);
    await places.take(1, true);
    expect(places.heldBy(1)).toBe(2);
    expect(await places.take(1, true).catch((error: unknown) => error)).toBeInstanceOf(OwnerShareError);
  });
});
