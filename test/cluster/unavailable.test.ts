import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Cluster, startCluster } from '../support/cluster/cluster.ts';
import { download, follow, publishTeam, upload } from '../support/cluster/team.ts';
import type { Engine } from '../support/engines/engine.ts';
import type { TestResponse } from '../support/http/call.ts';
import { type Account, call, login, publish, register, type ServerAddress } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/** PostgreSQL, Redis or the bucket hangs or is gone, and comes back. */

/** When a client gives up. Every node responds sooner, also on a busy machine. */
const ANSWER_MS = 60_000;
const TEST_MS = 240_000;
/** Only ends a test that hangs. A busy machine takes minutes to recover. */
const RECOVER_MS = 180_000;

const FAULTS: Array<[string, (engine: Engine) => unknown, (engine: Engine) => unknown]> = [
  ['hangs', (engine) => engine.freeze(), (engine) => engine.thaw()],
  ['is gone', (engine) => engine.kill(), (engine) => engine.start()],
];

/** Writes its input and returns how many rows there are. */
const COUNTER = `export default { async fetch(request, env) {
  await env.DB.prepare('insert into calls default values').run();
  return Response.json(await env.DB.prepare('select count(*) as n from calls').first());
} };`;

let cluster: Cluster;
let owner: Account;
let cookie: string;
let page: { id: number; slug: string };
let social: { id: number; slug: string };
let team: { id: number };
let fileId: string;
beforeAll(async () => {
  cluster = await startCluster({
    nodes: 2,
    settings: { QUIRE_LOGIN_FAILURES_PER_USERNAME: '0', QUIRE_LOGIN_FAILURES_PER_ADDRESS: '0' },
  });
  owner = await register(cluster, 'owner');
  cookie = await login(cluster, 'owner');
  page = await publish(cluster, owner.token, { name: 'Known' });
  social = await publish(cluster, owner.token, { storage_mode: 'social_app' });
  team = await publishTeam(cluster, owner.token);
  fileId = (await upload(cluster, owner.token, team.id, 'kept')).body.id;
  await deploy('plain', `export default { fetch: () => new Response('plain') };`);
  await deploy('counter', COUNTER, true);
  await runSql(cluster, 'create table calls (n integer primary key)');
  await expectWell();
}, 240_000);
afterAll(() => cluster?.stop(), 60_000);

async function deploy(slug: string, code: string, enableDatabase = false): Promise<void> {
  const made = await ask(cluster, 'POST', '/api/functions', { slug, code, enableDatabase });
  if (made.status !== 201) throw new Error(`deploying failed: ${JSON.stringify(made.body)}`);
}

const ask = (node: ServerAddress, method: string, path: string, body?: unknown, timeoutMs = ANSWER_MS) =>
  call(node, method, path, { token: owner.token, timeoutMs, ...(body !== undefined && { body }) });

const runSql = (node: ServerAddress, sql: string) =>
  ask(node, 'POST', '/api/functions/counter/database', { sql });

/** Kinds of requests, by what they need besides the node. */
const REQUESTS = {
  'create a page': (node) => ask(node, 'POST', '/api/pages', { name: 'New', html_content: '<p>' }),
  'change a page': (node) => ask(node, 'PATCH', `/api/pages/${social.id}`, { description: 'Changed' }),
  'read a page': (node) => ask(node, 'GET', `/api/pages/${page.id}`),
  'create a record': (node) => ask(node, 'POST', `/api/pages/${social.id}/social-data/x`, { data: { n: 1 } }),
  'log in': (node) => ask(node, 'POST', '/api/auth/login', { username: 'owner', password: 'not mine' }),
  'upload a file': (node) => upload(node, owner.token, team.id, 'more', ANSWER_MS),
  'download a file': (node) => download(node, owner.token, team.id, fileId, ANSWER_MS),
  'make a picture': (node) => ask(node, 'POST', `/api/pages/${page.id}/generate-preview-image`, {}),
  'call a function': (node) => ask(node, 'POST', '/api/functions/plain'),
  'call a function with a database': (node) => ask(node, 'POST', '/api/functions/counter'),
  'run SQL': (node) => runSql(node, 'insert into calls default values'),
} satisfies Record<string, (node: ServerAddress) => Promise<TestResponse>>;
type Kind = keyof typeof REQUESTS;

const NEED_POSTGRES: Kind[] = [
  'create a page',
  'change a page',
  'read a page',
  'create a record',
  'log in',
  'upload a file',
];
/** All kinds except those with a low limit per minute. */
const USUAL = (Object.keys(REQUESTS) as Kind[]).filter((kind) => kind !== 'make a picture');
const NEED_BUCKET: Kind[] = ['upload a file', 'download a file', 'make a picture', 'run SQL'];

/** The status of each kind of request, at each node and through the load balancer, all at the same time. */
async function outcomes(kinds: Kind[]): Promise<string[]> {
  const all = [...cluster.nodes.map(({ name }) => name), 'haproxy'].map((place) => outcomesAt(place, kinds));
  return (await Promise.all(all)).flat();
}

function outcomesAt(place: string, kinds: Kind[]): Promise<string[]> {
  const node = cluster.nodes.find(({ name }) => name === place) ?? cluster;
  return Promise.all(
    kinds.map(async (kind) => {
      const answer = await REQUESTS[kind](node).catch((error: Error) => error);
      if (answer instanceof Error) return `${kind} at ${place}: ${answer.name}`;
      const isUnknown = answer.body?.code === 'OUTCOME_UNKNOWN';
      const later = answer.headers.has('retry-after') !== isUnknown ? ', asks to come back or to look' : '';
      return `${kind} at ${place}: ${answer.status}${later}`;
    }),
  );
}

async function expectUnavailable(kinds: Kind[]): Promise<void> {
  const wrong = (await outcomes(kinds)).filter(
    (outcome) => !outcome.endsWith(': 503, asks to come back or to look'),
  );
  expect(wrong).toEqual([]);
}

async function expectServed(kinds: Kind[]): Promise<void> {
  expect((await outcomes(kinds)).filter((outcome) => !/: 20\d$/.test(outcome))).toEqual([]);
}

/** Checks that pages come from memory, for visitors and for logged-in users. */
async function expectPages(): Promise<void> {
  for (const node of [...cluster.nodes, cluster]) {
    for (const more of [{}, { cookie }]) {
      const served = await call(node, 'GET', `/p/${page.slug}`, { timeoutMs: ANSWER_MS, ...more });
      expect(served.status).toBe(200);
    }
  }
}

/** Waits until every request succeeds. A wrong password must get 401. */
async function expectWell(): Promise<void> {
  const places = [...cluster.nodes.map(({ name }) => name), 'haproxy'];
  await Promise.all(places.map(expectWellAt));
  for (const node of cluster.nodes) await call(node, 'GET', `/p/${page.slug}`);
}

async function expectWellAt(place: string): Promise<void> {
  let wrong: string[] = [];
  const look = async () => {
    const all = await outcomesAt(place, USUAL);
    wrong = all.filter((outcome) => !/: 20\d$|^log in .*: 401$/.test(outcome));
    return wrong.length === 0;
  };
  await waitUntil(look, RECOVER_MS).catch(() => expect(wrong).toEqual([]));
}

async function during(
  engine: Engine,
  fault: (typeof FAULTS)[number],
  check: () => Promise<void>,
): Promise<void> {
  const [, breakIt, mend] = fault;
  await breakIt(engine);
  try {
    await check();
  } finally {
    await mend(engine);
  }
  await expectWell();
}

describe.each(FAULTS)('while PostgreSQL %s', (...fault) => {
  test(
    'pages are served from memory, writes get 503, and everything works again afterwards',
    async () => {
      await during(cluster.postgres, fault, async () => {
        await expectPages();
        await expectUnavailable(NEED_POSTGRES);
        await expectPages();
      });
    },
    TEST_MS,
  );
});

describe.each(FAULTS)('while the bucket %s', (...fault) => {
  test(
    'only requests that need the bucket get 503, and everything works again afterwards',
    async () => {
      await during(cluster.s3, fault, async () => {
        await expectPages();
        await expectServed([
          'create a page',
          'change a page',
          'read a page',
          'create a record',
          'call a function',
        ]);
        await expectUnavailable(NEED_BUCKET);
      });
    },
    TEST_MS,
  );
});

describe.each(FAULTS)('while Redis %s', (...fault) => {
  test(
    'everything works, changes reach every node, and live events continue afterwards',
    async () => {
      const kinds = USUAL.filter((kind) => kind !== 'log in');
      const path = `/api/pages/${social.id}/social-data/live`;
      const text = `changed while Redis ${fault[0]}`;
      const reading = await follow(cluster.nodes[1] ?? cluster, social.id, 'live');
      await during(cluster.redis, fault, async () => {
        await expectPages();
        await expectServed(kinds);
        const [first] = cluster.nodes;
        await ask(first ?? cluster, 'PATCH', `/api/pages/${social.id}`, {
          html_content: `<!doctype html>${text}`,
        });
        for (const node of cluster.nodes)
          await waitUntil(async () => (await call(node, 'GET', `/p/${social.slug}`)).body.includes(text));
      });
      const before = reading.events.length;
      await waitUntil(async () => {
        await ask(cluster.nodes[0] ?? cluster, 'POST', path, { data: { n: 1 } });
        return reading.events.length > before;
      });
      reading.close();
    },
    TEST_MS,
  );
});
