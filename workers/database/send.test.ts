import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { DATABASE_HEADERS, DATABASE_PATHS } from '../protocol.ts';
import { sendToDatabase } from './send.ts';

/** The real waits, on a clock that the test moves. */
let hours = 0;
beforeEach(() => {
  jest.useFakeTimers();
  // Each test is later than the one before: the sender remembers for a while that a host has shut down.
  jest.setSystemTime(Date.now() + 3600_000 * ++hours);
});
afterEach(() => {
  jest.useRealTimers();
});

/** Moves the clock in small steps, so that promises get their turn in between. */
async function pass(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 50) {
    jest.advanceTimersByTime(50);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
}

/** What a database does with a request. */
type Fate = (request: Request) => Promise<Response>;

const answers: Fate = async (request) => {
  await request.text();
  return new Response('done');
};
const isUnreachable: Fate = async () => {
  throw new Error('Network connection lost.');
};
const losesIt: Fate = async (request) => {
  await request.text();
  throw new Error('Network connection lost.');
};
const drains: Fate = async () => new Response(null, { headers: { [DATABASE_HEADERS.notRun]: '1' } });
const staysSilent: Fate = async (request) => {
  await request.text();
  return new Promise(() => {});
};

/** A database whose fate the test changes, and what it was sent. */
function createDatabase(fate: Fate) {
  const database = { fate, ping: 'missing', received: [] as Request[], pings: 0 };
  const connect = () => ({
    fetch(request: Request): Promise<Response> {
      if (new URL(request.url).pathname !== DATABASE_PATHS.ping) {
        database.received.push(request);
        return database.fate(request);
      }
      database.pings++;
      const attempt = database.received.at(-1)?.headers.get(DATABASE_HEADERS.attempt);
      expect(request.headers.get(DATABASE_HEADERS.attempt)).toBe(attempt as string);
      if (database.ping === 'none') return new Promise(() => {});
      const headers: Record<string, string> =
        database.ping === 'busy' ? { [DATABASE_HEADERS.busy]: '1' } : {};
      return Promise.resolve(new Response(null, { headers }));
    },
  });
  const forward = () => Promise.reject(new Error('the database has not moved'));
  const send = (sql = 'INSERT') => {
    const body = JSON.stringify({ sql });
    const headers = { 'content-length': String(body.length) };
    const request = new Request('http://database/query', { method: 'POST', body, headers });
    const sending = { response: undefined as Response | undefined };
    void sendToDatabase(connect, request, () => sql === 'SELECT', forward).then((response) => {
      sending.response = response;
    });
    return sending;
  };
  return Object.assign(database, { send });
}

const readCode = async (response: Response | undefined) =>
  ((await response?.json()) as { code?: string })?.code;

describe('a request to a database', () => {
  test('that cannot be reached waits for ten seconds', async () => {
    const database = createDatabase(isUnreachable);
    const sending = database.send();
    await pass(9_500);
    expect(sending.response).toBeUndefined();
    await pass(1_500);
    expect(await readCode(sending.response)).toBe('UNAVAILABLE');
  });

  test('that is being handed over waits longer, also if it was sent after its host had ended', async () => {
    const database = createDatabase(drains);
    const before = database.send();
    await pass(1_000);
    database.fate = isUnreachable;
    await pass(4_000);
    const after = database.send('SELECT');
    await pass(15_000);
    expect([before.response, after.response]).toEqual([undefined, undefined]);
    database.fate = answers;
    await pass(500);
    expect([before.response?.status, after.response?.status]).toEqual([200, 200]);
    // Neither write has run before, so the database need not check that.
    expect(database.received.filter(({ headers }) => headers.has(DATABASE_HEADERS.resentAfter))).toEqual([]);
  });

  test('that was lost waits until the database can say whether it ran', async () => {
    const database = createDatabase(losesIt);
    const sending = database.send();
    await pass(100);
    database.fate = isUnreachable;
    await pass(20_000);
    expect(sending.response).toBeUndefined();
    database.fate = answers;
    await pass(500);
    expect(sending.response?.status).toBe(200);
    // An age, because the clock of the database may differ.
    const resentAfter = Number(database.received.at(-1)?.headers.get(DATABASE_HEADERS.resentAfter));
    expect(resentAfter).toBeGreaterThan(19_000);
    expect(resentAfter).toBeLessThan(22_000);
  });

  test('that was lost has an unknown outcome if the database does not come back', async () => {
    const database = createDatabase(losesIt);
    const sending = database.send();
    await pass(100);
    database.fate = isUnreachable;
    await pass(26_000);
    expect(await readCode(sending.response)).toBe('OUTCOME_UNKNOWN');
  });

  test('that is busy with it is waited for, and is not sent a second time', async () => {
    const late = Promise.withResolvers<Response>();
    const database = createDatabase(async (request) => {
      await request.text();
      return late.promise;
    });
    database.ping = 'busy';
    const sending = database.send();
    await pass(20_000);
    expect(database.pings).toBeGreaterThan(1);
    expect([sending.response, database.received.length]).toEqual([undefined, 1]);
    late.resolve(new Response('done'));
    await pass(100);
    expect(sending.response?.status).toBe(200);
  });

  test('that cannot say whether it is busy, as in a transaction, is waited for, and is not sent a second time', async () => {
    const late = Promise.withResolvers<Response>();
    const database = createDatabase(async (request) => {
      await request.text();
      return late.promise;
    });
    database.ping = 'none';
    const sending = database.send();
    await pass(20_000);
    expect(database.pings).toBeGreaterThan(1);
    // Between two transactions it can.
    database.ping = 'busy';
    await pass(5_000);
    expect([sending.response, database.received.length]).toEqual([undefined, 1]);
    late.resolve(new Response('done'));
    await pass(100);
    expect(sending.response?.status).toBe(200);
  });

  test('that has twice said that it is not busy with it is sent again', async () => {
    const database = createDatabase(staysSilent);
    const sending = database.send();
    await pass(5_100);
    expect([database.pings, database.received.length]).toEqual([1, 1]);
    database.fate = answers;
    await pass(2_500);
    expect([database.pings, database.received.length]).toEqual([2, 2]);
    expect(sending.response?.status).toBe(200);
    const [first, second] = database.received.map(({ headers }) => headers.get(DATABASE_HEADERS.writeId));
    expect(second).toBe(first as string);
  });
});
