import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Random } from '../../contract/fuzz/random.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { isSoak, ROUNDS_MS, rounds } from '../../support/faults/rounds.ts';
import { assertSameDatabases, RandomApplication, type Seen } from '../../support/history/application.ts';

/**
 * Random changes of applications, restored to random moments and compared with what they were then. Several change at
 * the same time, some of them with databases in the same process.
 */

/** `QUIRE_TEST_SEED=7 npm test -- moments-model` repeats a run, as far as other processes allow. */
const SEED = Number(process.env.QUIRE_TEST_SEED ?? Math.floor(Math.random() * 1e9));
const ROUNDS = Number(process.env.QUIRE_TEST_ROUNDS ?? rounds(12, 2_000));
/** A round takes up to two seconds on a machine that has other work. */
const SOAK_MS = Math.max(ROUNDS_MS, ROUNDS * 10_000);
const APPLICATIONS = 4;
/** A page can have 20 moments with a name. */
const KEPT = 15;

let app: TestApp;
let owners: TestUser[];
beforeAll(async () => {
  app = await testApp({ QUIRE_RATE_LIMIT: '0' });
  owners = [await app.user('first'), await app.user('second')];
});
afterAll(() => app.stop());

let begun = 0;
const counts = { restores: 0, undone: 0 };

async function live(number: number): Promise<void> {
  const random = new Random(SEED, number);
  const owner = owners[number % owners.length] as TestUser;
  const application = await RandomApplication.make(app, owner, random, `model-${number}`);
  const kept: Array<{ at: string; seen: Seen }> = [];
  const keep = async () => {
    const at = await application.keep();
    kept.push({ at, seen: await application.read() });
    if (kept.length <= KEPT) return;
    await application.ok('DELETE', `/api/pages/${application.id}/moments/${kept.shift()?.at}`);
    application.forget(kept.map(({ seen }) => seen));
  };
  const expectState = async (expected: Seen) => {
    const found = await application.read();
    expect(found.state).toEqual(expected.state);
    assertSameDatabases(found, expected);
  };
  await keep();
  while (begun++ < ROUNDS) {
    for (let changes = random.int(0, 6); changes > 0; changes--) await application.change();
    if (random.chance(0.5)) await keep();
    const before = await application.read();
    const { at, seen } = random.pick(kept);
    const undo = await application.restore(at);
    counts.restores++;
    await expectState(seen);
    if (random.chance(0.5)) continue;
    await application.restore(undo);
    counts.undone++;
    await expectState(before);
    application.forget(kept.map(({ seen }) => seen));
  }
}

test(
  'restores any moment exactly, and undoes every restore',
  async () => {
    try {
      await Promise.all(Array.from({ length: APPLICATIONS }, (_, number) => live(number)));
    } finally {
      if (isSoak) console.log(`seed ${SEED}: ${JSON.stringify(counts)}`);
    }
  },
  SOAK_MS,
);
