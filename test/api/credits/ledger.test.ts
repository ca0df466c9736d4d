import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { tokenLimits } from '../../../server/product/accounts/index.ts';
import { OverdueReservations } from '../../../server/product/credits/overdue.ts';
import { Renewal } from '../../../server/product/credits/renewal.ts';
import { functionLimits } from '../../../server/product/functions/index.ts';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { type Bank, openBank } from '../../support/credits.ts';
import { waitUntil } from '../../support/server.ts';

/** The operations behind every feature that costs credits. After each test the ledger is checked. */

const CREDIT = 2_500;
const MINUTE_MS = 60 * 1000;

let quire: TestApp;
let bank: Bank;
let owner: TestUser;
let page: PublishedPage;
beforeAll(async () => {
  quire = await testApp({ QUIRE_CREDITS_NEW_USER: '10' });
  owner = await quire.user('owner');
  page = await owner.publish();
  bank = await openBank(quire);
});
afterEach(async () => expect(await bank.faults()).toEqual([]));
afterAll(async () => {
  await bank.stop();
  await quire.stop();
});

/** What a page requests for its visitor. */
const wish = (user: TestUser, tokens: number, needsConsent = false, pageId = page.id) =>
  ({ userId: user.id, pageId, feature: 'ai', tokens, needsConsent }) as const;

async function reserved(user: TestUser, tokens: number, needsConsent = false): Promise<string> {
  const outcome = await bank.credits.reserve(wish(user, tokens, needsConsent));
  if (typeof outcome === 'string') throw new Error(outcome);
  return outcome.reservationId;
}

async function consent(user: TestUser, limit: number, pageId = page.id): Promise<void> {
  const cookie = await user.login();
  const answer = await quire.call('POST', '/api/credits/consents', { body: { pageId, limit }, cookie });
  if (answer.status !== 200) throw new Error(`consenting failed: ${JSON.stringify(answer.body)}`);
}

const together = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

const count = (outcomes: unknown[], wanted: unknown) => outcomes.filter((one) => one === wanted).length;

const reservation = (id: string) =>
  bank.db
    .selectFrom('credit_reservations')
    .select('expires_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

/** A server that starts to look for expired reservations. */
const start = (options: { everyMs?: number; atMs: number }) =>
  new OverdueReservations({
    db: bank.db,
    tokenLimits,
    functionLimits,
    log: { warn: (fields: unknown) => console.error(fields) },
    now: () => Date.now() + options.atMs,
    ...(options.everyMs && { everyMs: options.everyMs }),
  });

describe('a reservation', () => {
  test('can take every token, and not one more', async () => {
    const user = await quire.user();
    expect(await bank.credits.affordable(wish(user, 1))).toBe(10 * CREDIT);
    expect(await bank.credits.reserve(wish(user, 10 * CREDIT + 1))).toBe('insufficient credits');
    expect(await bank.account(user)).toEqual({ balance: 10 * CREDIT, held: 0 });
    await reserved(user, 10 * CREDIT);
    expect(await bank.account(user)).toEqual({ balance: 0, held: 10 * CREDIT });
    expect(await bank.credits.reserve(wish(user, 1))).toBe('insufficient credits');
    expect(await bank.credits.affordable(wish(user, 1))).toBe('insufficient credits');
  });

  test('made eighty times at once never overspends 10 credits', async () => {
    const user = await quire.user();
    const outcomes = await together(80, () => bank.credits.reserve(wish(user, CREDIT / 4)));
    expect(count(outcomes, 'insufficient credits')).toBe(40);
    expect(await bank.account(user)).toEqual({ balance: 0, held: 10 * CREDIT });
  });

  test('of every size, many at once, never overspends', async () => {
    const user = await quire.user();
    const outcomes = await together(100, (index) => bank.credits.reserve(wish(user, 1 + 37 * index)));
    const sum = outcomes.reduce((total, one) => total + (typeof one === 'string' ? 0 : one.tokens), 0);
    expect(await bank.account(user)).toEqual({ balance: 10 * CREDIT - sum, held: sum });
    expect(count(outcomes, 'insufficient credits')).toBeGreaterThan(0);
  });

  for (const tokens of [0, -1, 0.5, Number.NaN, 2 ** 53]) {
    test(`of ${tokens} tokens is refused`, async () => {
      expect(() => bank.credits.reserve(wish(owner, tokens))).toThrow(RangeError);
    });
  }
});

describe('a consent', () => {
  test('is requested first, even if credits are missing too', async () => {
    const user = await quire.user();
    expect(await bank.credits.mayPublish(user.id, page.id)).toBe(false);
    expect(await bank.credits.affordable(wish(user, 1, true))).toBe('consent required');
    expect(await bank.credits.reserve(wish(user, 1, true))).toBe('consent required');
    expect(await bank.credits.reserve(wish(user, 99 * CREDIT, true))).toBe('consent required');
    const nowhere = { ...wish(user, 1, true), pageId: null };
    expect(await bank.credits.reserve(nowhere)).toBe('consent required');
    expect(await bank.account(user)).toEqual({ balance: 10 * CREDIT, held: 0 });
  });

  test('allows spending up to its last token, and not one more', async () => {
    const user = await quire.user();
    await consent(user, 2);
    expect(await bank.credits.mayPublish(user.id, page.id)).toBe(true);
    expect(await bank.credits.affordable(wish(user, 1, true))).toBe(2 * CREDIT);
    expect(await bank.credits.reserve(wish(user, 2 * CREDIT + 1, true))).toBe('consent required');
    await reserved(user, 2 * CREDIT, true);
    expect(await bank.credits.reserve(wish(user, 1, true))).toBe('consent required');
    expect(await bank.credits.affordable(wish(user, 1, true))).toBe('consent required');
    expect(await bank.credits.affordable(wish(user, 1))).toBe(8 * CREDIT);
  });

  test('above the balance of the user is limited by the balance', async () => {
    const user = await quire.user();
    await consent(user, 1000);
    expect(await bank.credits.affordable(wish(user, 1, true))).toBe(10 * CREDIT);
    expect(await bank.credits.reserve(wish(user, 11 * CREDIT, true))).toBe('insufficient credits');
    expect(await bank.consent(user, page.id)).toEqual({ limit: 1000 * CREDIT, used: 0 });
  });

  test('is valid for one page and one user', async () => {
    const user = await quire.user();
    const other = await owner.publish();
    await consent(user, 5);
    expect(await bank.credits.reserve(wish(user, 1, true, other.id))).toBe('consent required');
    expect(await bank.credits.reserve(wish(await quire.user(), 1, true))).toBe('consent required');
  });

  test('is not exceeded by two hundred reservations at once', async () => {
    const user = await quire.user();
    await consent(user, 3);
    const outcomes = await together(200, () => bank.credits.reserve(wish(user, CREDIT / 5, true)));
    expect(count(outcomes, 'consent required')).toBe(185);
    expect(await bank.consent(user, page.id)).toEqual({ limit: 3 * CREDIT, used: 3 * CREDIT });
    expect(await bank.account(user)).toEqual({ balance: 7 * CREDIT, held: 3 * CREDIT });
  });

  test('given again allows the full amount from now on', async () => {
    const user = await quire.user();
    await consent(user, 2);
    await bank.credits.settle(await reserved(user, CREDIT, true), CREDIT);
    await consent(user, 4);
    expect(await bank.consent(user, page.id)).toEqual({ limit: 5 * CREDIT, used: CREDIT });
    expect(await bank.credits.affordable(wish(user, 1, true))).toBe(4 * CREDIT);
  });

  test('given again does not count what was reserved under the previous one', async () => {
    const user = await quire.user();
    await consent(user, 5);
    const before = await reserved(user, 5 * CREDIT, true);
    const cookie = await user.login();
    expect((await quire.call('DELETE', `/api/credits/consents/${page.id}`, { cookie })).status).toBe(204);
    expect(await bank.credits.affordable(wish(user, 1, true))).toBe('consent required');
    await consent(user, 2);
    await reserved(user, CREDIT, true);
    expect((await bank.credits.settle(before, CREDIT)).chargedTokens).toBe(CREDIT);
    expect(await bank.consent(user, page.id)).toEqual({ limit: 2 * CREDIT, used: CREDIT });
  });

  test('is deleted with its page, and open reservations are still settled', async () => {
    const user = await quire.user();
    const short = await owner.publish();
    await consent(user, 5, short.id);
    const outcome = await bank.credits.reserve(wish(user, 2 * CREDIT, true, short.id));
    expect((await owner.call('DELETE', `/api/pages/${short.id}`)).status).toBe(200);
    if (typeof outcome === 'string') throw new Error(outcome);
    expect(await bank.credits.settle(outcome.reservationId, CREDIT)).toMatchObject({
      balanceTokens: 9 * CREDIT,
    });
  });
});

describe('settling', () => {
  test('charges what was used and returns the rest to the balance and the consent', async () => {
    const user = await quire.user();
    await consent(user, 5);
    const id = await reserved(user, 4 * CREDIT, true);
    expect(await bank.credits.settle(id, 1234)).toEqual({
      isFirst: true,
      chargedTokens: 1234,
      balanceTokens: 10 * CREDIT - 1234,
    });
    expect(await bank.account(user)).toEqual({ balance: 10 * CREDIT - 1234, held: 0 });
    expect(await bank.consent(user, page.id)).toEqual({ limit: 5 * CREDIT, used: 1234 });
  });

  for (const [used, charged] of [
    [999, 999],
    [1000, 1000],
    [1001, 1000],
    [0, 0],
  ] as const) {
    test(`${used} of 1000 charges ${charged}`, async () => {
      const user = await quire.user();
      const settled = await bank.credits.settle(await reserved(user, 1000), used);
      expect(settled.chargedTokens).toBe(charged);
      expect(await bank.account(user)).toEqual({ balance: 10 * CREDIT - charged, held: 0 });
    });
  }

  test('with a release returns everything', async () => {
    const user = await quire.user();
    await consent(user, 5);
    const id = await reserved(user, CREDIT, true);
    const expected = { isFirst: true, chargedTokens: 0, balanceTokens: 10 * CREDIT };
    expect(await bank.credits.release(id)).toEqual(expected);
    expect(await bank.consent(user, page.id)).toEqual({ limit: 5 * CREDIT, used: 0 });
  });

  test('twice changes nothing the second time, in either order', async () => {
    const user = await quire.user();
    const settle = (id: string, tokens: number) => bank.credits.settle(id, tokens);
    const release = (id: string) => bank.credits.release(id);
    const spent = await reserved(user, CREDIT);
    await settle(spent, 500);
    const given = await reserved(user, CREDIT);
    await release(given);
    const nothing = { isFirst: false, chargedTokens: 0, balanceTokens: 10 * CREDIT - 500 };
    for (const id of [spent, given]) {
      expect(await settle(id, CREDIT)).toEqual(nothing);
      expect(await release(id)).toEqual(nothing);
    }
    const unknown = await settle('never made', 1);
    expect(unknown).toEqual({ isFirst: false, chargedTokens: 0, balanceTokens: 0 });
    expect(await bank.account(user)).toEqual({ balance: 10 * CREDIT - 500, held: 0 });
  });

  test('many times at once counts once', async () => {
    const user = await quire.user();
    await consent(user, 10);
    const ids = await together(10, () => reserved(user, CREDIT, true));
    const outcomes = await together(100, (index) => {
      const id = ids[index % 10] ?? '';
      return index % 3 === 0 ? bank.credits.release(id) : bank.credits.settle(id, index);
    });
    const first = outcomes.filter(({ isFirst }) => isFirst);
    const charged = outcomes.reduce((sum, { chargedTokens }) => sum + chargedTokens, 0);
    expect(first.length).toBe(10);
    expect(await bank.account(user)).toEqual({ balance: 10 * CREDIT - charged, held: 0 });
    expect(await bank.consent(user, page.id)).toEqual({ limit: 10 * CREDIT, used: charged });
  });

  for (const tokens of [-1, 0.5, Number.NaN]) {
    test(`refuses a usage of ${tokens}`, async () => {
      const id = await reserved(await quire.user(), 1);
      expect(() => bank.credits.settle(id, tokens)).toThrow(RangeError);
    });
  }
});

describe('a reservation that nobody settles', () => {
  test('is released when its server has not renewed it for 90 seconds, and not before', async () => {
    const user = await quire.user();
    const id = await reserved(user, CREDIT);
    let at = Date.now();
    const log = { warn: (fields: unknown) => console.error(fields) };
    const other = new OverdueReservations({
      db: bank.db,
      tokenLimits,
      functionLimits,
      log,
      now: () => at,
      everyMs: MINUTE_MS,
    });
    const heldAfter = async (milliseconds: number) => {
      at += milliseconds;
      await other.sweep();
      return (await bank.account(user)).held;
    };
    expect(await heldAfter(MINUTE_MS - 5_000)).toBe(CREDIT);
    // Overdue, but its server may be about to renew it, as it does here.
    expect(await heldAfter(10_000)).toBe(CREDIT);
    const alive = new Renewal({ db: bank.db, log, now: () => at, everyMs: 5 });
    alive.begin(id);
    const { expires_at: before } = await reservation(id);
    await waitUntil(async () => (await reservation(id)).expires_at > before);
    expect(await heldAfter(40_000)).toBe(CREDIT);
    alive.stop();
    expect(await heldAfter(2 * MINUTE_MS)).toBe(CREDIT);
    expect(await heldAfter(29_000)).toBe(CREDIT);
    expect(await heldAfter(1_000)).toBe(0);
    await other.stop();
    expect(await bank.account(user)).toEqual({ balance: 10 * CREDIT, held: 0 });
    expect(await bank.credits.settle(id, CREDIT)).toMatchObject({
      isFirst: false,
      balanceTokens: 10 * CREDIT,
    });
  });

  test('is released when the service starts', async () => {
    const user = await quire.user();
    // Made by a server that is gone: nothing renews the reservation while the next server starts.
    const gone = await openBank(quire);
    const made = await gone.credits.reserve(wish(user, CREDIT));
    if (typeof made === 'string') throw new Error(made);
    const id = made.reservationId;
    await gone.stop();
    await bank.db.updateTable('credit_reservations').set({ expires_at: 1 }).where('id', '=', id).execute();
    const database = quire.databaseUrl ? { DATABASE_URL: quire.databaseUrl } : {};
    const next = await testApp({ QUIRE_DATA: quire.dataFolder, ...database });
    await waitUntil(async () => (await bank.account(user)).held === 0);
    await next.stop();
    expect(await bank.account(user)).toEqual({ balance: 10 * CREDIT, held: 0 });
  });

  test('is looked for repeatedly until the service stops', async () => {
    const user = await quire.user();
    const overdue = start({ atMs: 16 * MINUTE_MS, everyMs: 5 });
    for (let round = 0; round < 2; round++) {
      await reserved(user, CREDIT);
      await waitUntil(async () => (await bank.account(user)).held === 0);
    }
    await overdue.stop();
    const id = await reserved(user, CREDIT);
    await overdue.sweep();
    expect((await bank.account(user)).held).toBe(CREDIT);
    await bank.credits.release(id);
  });

  test('is released even if several servers left more than one batch', async () => {
    const users = await together(3, () => quire.user());
    for (const user of users) {
      for (let round = 0; round < 4; round++) await together(25, () => reserved(user, 10));
    }
    const sweepers = [1, 2].map(() => start({ atMs: 16 * MINUTE_MS }));
    await Promise.all(sweepers.map((sweeper) => sweeper.sweep()));
    await Promise.all(sweepers.map((sweeper) => sweeper.stop()));
    for (const user of users) expect(await bank.account(user)).toEqual({ balance: 10 * CREDIT, held: 0 });
  });
});

describe('any operations in any order', () => {
  const amount = fc.integer({ min: 1, max: 3 * CREDIT });
  const who = fc.constantFrom(0 as const, 1 as const);
  const step = fc.oneof(
    fc.record({ verb: fc.constant('grant' as const), who, tokens: amount }),
    fc.record({ verb: fc.constant('consent' as const), who, credits: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ verb: fc.constant('withdraw' as const), who }),
    {
      weight: 4,
      arbitrary: fc.record({
        verb: fc.constant('reserve' as const),
        who,
        tokens: amount,
        asPage: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        verb: fc.constant('settle' as const),
        which: fc.nat(),
        tokens: fc.nat({ max: 3 * CREDIT }),
      }),
    },
    fc.record({ verb: fc.constant('release' as const), which: fc.nat() }),
    fc.record({ verb: fc.constant('purge' as const) }),
  );

  test('leave a correct ledger', async () => {
    const users = [await quire.user(), await quire.user()] as const;
    const total = async () => {
      const accounts = await Promise.all(users.map((user) => bank.account(user)));
      return accounts.reduce((sum, { balance }) => sum + balance, 0);
    };
    const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rounds, async (given) => {
        const ids: string[] = [];
        let expected = await total();
        for (const steps of given) {
          await Promise.all(steps.map(run));
          expect(await bank.faults()).toEqual([]);
        }
        for (const id of ids) await bank.credits.release(id);
        expect(await total()).toBe(expected);

        async function run(one: (typeof given)[number][number]): Promise<void> {
          switch (one.verb) {
            case 'grant':
              expected += one.tokens;
              await bank.grant(users[one.who], one.tokens);
              return;
            case 'consent':
              await bank.allow(users[one.who], page.id, one.credits);
              return;
            case 'withdraw':
              return bank.withdraw(users[one.who], page.id).catch(expectNoConsent);
            case 'reserve': {
              const outcome = await bank.credits.reserve(wish(users[one.who], one.tokens, one.asPage));
              if (typeof outcome !== 'string') ids.push(outcome.reservationId);
              return;
            }
            case 'settle':
            case 'release': {
              const id = ids[one.which % ids.length];
              const settle = (id: string, tokens: number) => bank.credits.settle(id, tokens);
              const release = (id: string) => bank.credits.release(id);
              const ended = id && (await (one.verb === 'settle' ? settle(id, one.tokens) : release(id)));
              if (ended) expected -= ended.chargedTokens;
              return;
            }
            case 'purge': {
              const overdue = start({ atMs: 16 * MINUTE_MS });
              await overdue.sweep();
              return overdue.stop();
            }
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});

function expectNoConsent(error: unknown): void {
  expect(error).toMatchObject({ code: 'NOT_FOUND' });
}
