import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Route } from '../../server/platform/http/index.ts';
import { testApp } from '../support/app.ts';
import { isRunning, residentMegabytes } from '../support/faults/process.ts';
import { type HostileCase, makeCases } from '../support/hostile/cases.ts';
import { type HostileAnswer, sendHostile } from '../support/hostile/client.ts';
import { type HostileServer, startHostileServer } from '../support/hostile/server.ts';
import { openConnection } from '../support/http/socket.ts';

/**
 * Sends the worst input to every route, one after the other, while someone else sends small requests. The cases are
 * generated from the descriptions of the routes, so a new route is covered automatically.
 */

/** CPU time without a pause. On an idle machine this is how long a neighbour waits. */
const MAX_STALL_MS = 250;
const MAX_REFUSAL_BYTES = 64 * 1024;
const MAX_GROWTH_MB = 1_000;
const SMALL_BYTES = 100 * 1024;
const GROUP = 10;
/** What a group of small requests can take together. */
const CLOSER_LOOK_MS = 30;

const routes = await routeTable();

async function routeTable(): Promise<Route[]> {
  const quire = await testApp();
  const found = [...quire.app.routes];
  await quire.stop();
  // Routes that delete come last, so that the others have something to work on.
  return found.sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
}

interface Row {
  route: string;
  case: string;
  status: number;
  stallMs: number;
  waitMs: number;
}

let hostile: HostileServer;
let megabytesBefore: number;
const rows: Row[] = [];

beforeAll(async () => {
  hostile = await startHostileServer();
  megabytesBefore = residentMegabytes(hostile.server.pid);
});
afterAll(async () => {
  const worst = rows.sort((a, b) => b.stallMs - a.stallMs).slice(0, 10);
  console.log(`the worst of ${rows.length} cases:`);
  console.table(
    worst.map((row) => ({ ...row, stallMs: Math.round(row.stallMs), waitMs: Math.round(row.waitMs) })),
  );
  await hostile.stop();
});

test('the largest query result does not delay other requests', async () => {
  const columns = Array.from({ length: 20 }, (_, i) => `a AS c${i}`).join(', ');
  const rows = 'WITH RECURSIVE c(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM c WHERE a < 100000)';
  hostile.reset();
  const answer = await sendHostile(hostile.server.port, {
    method: 'POST',
    target: '/api/functions/echo/database',
    headers: { ...(await hostile.headersFor('token')), 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ sql: `${rows} SELECT ${columns} FROM c` })),
  });
  expect(answer.status).toBe(200);
  expect((await hostile.longest()).stallMs).toBeLessThan(MAX_STALL_MS);
});

test('many large results at the same time do not delay other requests', async () => {
  const sql =
    'WITH RECURSIVE c(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM c WHERE a < 20) SELECT hex(zeroblob(700000)) FROM c';
  const headers = { ...(await hostile.headersFor('token')), 'content-type': 'application/json' };
  hostile.reset();
  const answers = await Promise.all(
    Array.from({ length: 12 }, () =>
      sendHostile(hostile.server.port, {
        method: 'POST',
        target: '/api/functions/echo/database',
        headers,
        body: Buffer.from(JSON.stringify({ sql })),
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  expect((await hostile.longest()).stallMs).toBeLessThan(MAX_STALL_MS);
});

test.each(routes.map((route, turn) => [`${route.method} ${route.path}`, route, turn] as const))(
  '%s does not delay other requests, whatever is sent',
  async (_, route, turn) => {
    for (const group of grouped(makeCases(route, turn, hostile.fill))) {
      if (await tryOut(group)) continue;
      // One of the group was too slow or refused: find out which.
      for (const each of group) await tryOut([each]);
    }
  },
  120_000,
);

/** Sends small requests in groups, so that there is time for all of them. */
function* grouped(cases: Iterable<HostileCase>): Generator<HostileCase[]> {
  let group: HostileCase[] = [];
  for (const each of cases) {
    if ((each.body?.byteLength ?? 0) > SMALL_BYTES) yield [each];
    else if (group.push(each) === GROUP) {
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}

/** Returns false if the cases must run one by one, to find the slow one. */
async function tryOut(group: HostileCase[]): Promise<boolean> {
  const headers = await Promise.all(group.map(({ sender }) => hostile.headersFor(sender)));
  hostile.reset();
  const answers = await Promise.all(group.map((each, i) => send(each, headers[i] ?? {})));
  const longest = await hostile.longest();
  if (group.some((each, i) => isLoggedOut(each, answers[i]))) hostile.logInAgain();
  // Some routes limit how many run at the same time, such as exports.
  const isRefused = answers.some(({ status }) => status === 503);
  if (group.length > 1 && (isRefused || longest.stallMs > CLOSER_LOOK_MS)) return false;
  for (const [i, { route, name, sender }] of group.entries()) {
    const { status, bytes, start } = answers[i] as HostileAnswer;
    rows.push({ route: `${route.method} ${route.path}`, case: `${name} (${sender})`, status, ...longest });
    const isFine =
      status >= 200 &&
      status < 500 &&
      (status < 400 || bytes < MAX_REFUSAL_BYTES) &&
      longest.stallMs < MAX_STALL_MS;
    if (isFine) continue;
    const figures = `status ${status}, ${bytes} bytes, ${Math.round(longest.stallMs)} ms of work`;
    throw new Error(`${name} (${sender}): ${figures}\n${start}`);
  }
  return true;
}

function isLoggedOut({ sender, headers }: HostileCase, answer: HostileAnswer | undefined): boolean {
  if (sender !== 'cookie' || headers?.cookie || !answer) return false;
  return answer.status === 401 || /set-cookie/i.test(answer.start);
}

function send(each: HostileCase, headers: Record<string, string>): Promise<HostileAnswer> {
  const { route, target, body } = each;
  return sendHostile(hostile.server.port, {
    method: route.method,
    target,
    headers: { ...headers, ...each.headers },
    ...(body && { body }),
  });
}

test('bodies that arrive byte by byte and never end do not delay other requests', async () => {
  const open = await Promise.all(
    routes
      .filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method))
      .flatMap((route) => [route, route, route])
      .map(async (route) => {
        const connection = await openConnection(hostile.server.port);
        const path = route.path.replace(/[:*](\w+)/g, (_, name: string) => hostile.fill(route, name));
        const { authorization = '' } = await hostile.headersFor('token');
        const head = `host: localhost\r\nauthorization: ${authorization}\r\ncontent-type: application/json`;
        await connection.send(
          `${route.method} ${path} HTTP/1.1\r\n${head}\r\ncontent-length: 60000\r\n\r\n{"`,
        );
        return connection;
      }),
  );
  hostile.reset();
  for (let letter = 0; letter < 50; letter++) await Promise.all(open.map((each) => each.send('a')));
  const { stallMs } = await hostile.longest();
  for (const each of open) each.close();
  expect(stallMs).toBeLessThan(MAX_STALL_MS);
});

test('the server keeps running, within its memory and without internal errors', () => {
  const { server } = hostile;
  expect(isRunning(server.pid)).toBeTrue();
  expect(hostile.failures()).toBe(0);
  expect(
    server
      .output()
      .split('\n')
      .filter((line) => line.includes('"level":"error"') && !line.includes('"status":503')),
  ).toEqual([]);
  expect(residentMegabytes(server.pid) - megabytesBefore).toBeLessThan(MAX_GROWTH_MB);
});
