import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/call.ts';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster.ts';
import { type Account, type ClientOptions, call, login, publish, register } from '../support/fault-client.ts';

/** Two hundred at once, spread over the nodes: who asks where must make no difference to how many get it. */

const RACERS = 200;
/** Making accounts is slow, as hashing a password must be: where each racer would need one there are fewer. */
const ACCOUNTS = 40;
const CALLS_PER_MINUTE = 60;
const CREDITS = 50;
const IMAGE_CREDITS = 4;
/** What a visitor may ask of one page in a minute, so that credits alone decide. */
const IMAGES_PER_PAGE = 10;
const DOCUMENT = '<!doctype html><title>t</title><p>Hello';

let cluster: Cluster;
let owner: Account;
beforeAll(async () => {
  cluster = await startCluster({
    settings: {
      QUIRE_CREDITS_NEW_USER: String(CREDITS),
      QUIRE_FUNCTION_CALLS_PER_MINUTE: String(CALLS_PER_MINUTE),
    },
  });
  owner = await register(cluster, 'owner');
}, 120_000);
afterAll(() => cluster?.stop(), 60_000);

/** Asks so often at once, each time another node. */
function race(ask: (node: ClusterNode, index: number) => Promise<Answer>, count = RACERS): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => ask(nodeOf(index), index)));
}

function nodeOf(index: number): ClusterNode {
  return cluster.nodes[index % cluster.nodes.length] as ClusterNode;
}

const asOwner = (node: ClusterNode, method: string, path: string, options: ClientOptions = {}) =>
  call(node, method, path, { token: owner.token, timeoutMs: 60_000, ...options });

/** Comes back as long as it is told that there is no place to try its code in right now. */
async function untilDecided(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503 || !answer.headers.has('retry-after')) return answer;
  }
}

/** How many answers had which status. */
function statuses(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('slugs', () => {
  test('pages of one name get one each, and one of them gets the slug that all ask for', async () => {
    const made = await race((node) =>
      asOwner(node, 'POST', '/api/pages', { body: { name: 'Same', html_content: DOCUMENT } }),
    );
    expect(statuses(made)).toEqual({ 201: RACERS });
    expect(new Set(made.map(({ body }) => body.page.slug)).size).toBe(RACERS);

    const changed = await race((node, index) =>
      asOwner(node, 'PATCH', `/api/pages/${made[index]?.body.page.id}`, { body: { slug: 'the-one' } }),
    );
    expect(statuses(changed)).toEqual({ 200: 1, 409: RACERS - 1 });
    const winner = made[changed.findIndex(({ status }) => status === 200)]?.body.page.id;
    for (const node of cluster.nodes) {
      const found = await asOwner(node, 'GET', '/api/pages/lookup?slug=the-one');
      expect(found.body.id).toBe(winner);
    }
  }, 120_000);

  test('a function is made once', async () => {
    const code = (index: number) => `export default { fetch: () => new Response('${index}') };`;
    const made = await race((node, index) =>
      untilDecided(() =>
        asOwner(node, 'POST', '/api/functions', { body: { slug: 'once', code: code(index) } }),
      ),
    );
    expect(statuses(made)).toEqual({ 201: 1, 409: RACERS - 1 });
    const winner = made.findIndex(({ status }) => status === 201);
    const answers = await race((node) => call(node, 'POST', '/api/functions/once'), 3);
    expect(answers.map(({ body }) => body)).toEqual(Array.from({ length: 3 }, () => String(winner)));
  }, 120_000);

  test('a username is taken once', async () => {
    const made = await race(
      (node, index) =>
        call(node, 'POST', '/api/auth/register', {
          body: { username: 'wanted', email: `w${index}@example.com`, password: 'correct horse' },
          timeoutMs: 60_000,
        }),
      ACCOUNTS,
    );
    expect(statuses(made)).toEqual({ 201: 1, 409: ACCOUNTS - 1 });
  }, 120_000);
});

test('an invite for five lets five in, each of whom asks five times at once', async () => {
  const names = Array.from({ length: ACCOUNTS }, (_, index) => `joiner${index}`);
  const joiners = await Promise.all(names.map((name, index) => register(nodeOf(index), name)));
  const page = await publish(cluster, owner.token, { storage_mode: 'team_app' });
  const invite = await asOwner(nodeOf(0), 'POST', `/api/pages/${page.id}/team/invite`, {
    body: { maxUses: 5 },
  });
  const path = `/api/join/${invite.body.inviteCode}`;
  const joinerOf = (index: number) => joiners[Math.floor(index / (RACERS / ACCOUNTS))] as Account;
  const joined = await race((node, index) =>
    call(node, 'POST', path, { token: joinerOf(index).token, timeoutMs: 60_000 }),
  );
  expect(joined.filter(({ status }) => status !== 200 && status !== 404)).toEqual([]);
  const told = joined.flatMap(({ status }, index) => (status === 200 ? [joinerOf(index).id] : []));
  const inside = [...new Set(told)].sort();
  expect(inside).toHaveLength(5);
  for (const node of cluster.nodes) {
    const { body } = await asOwner(node, 'GET', `/api/pages/${page.id}/team`);
    const members = body.members.map(({ user }: { user: { id: number } }) => user.id);
    expect(members.filter((id: number) => id !== owner.id).sort()).toEqual(inside);
  }
}, 120_000);

test('a balance is spent to its end and no further', async () => {
  await register(cluster, 'spender');
  const cookie = await login(cluster, 'spender');
  const pages = await Promise.all(
    Array.from({ length: RACERS / IMAGES_PER_PAGE }, async () => {
      const { id } = await publish(cluster, owner.token, { page_api_image_gen_enabled: true });
      const consent = { pageId: id, limit: 1000 };
      const given = await call(cluster, 'POST', '/api/credits/consents', { cookie, body: consent });
      expect(given.status).toBe(200);
      return id;
    }),
  );
  const spent = await race((node, index) => {
    const page = pages[Math.floor(index / IMAGES_PER_PAGE)];
    const body = { prompt: `A picture, number ${index}` };
    return call(node, 'POST', `/api/pages/${page}/page-api-image-gen`, { cookie, body, timeoutMs: 60_000 });
  });
  const affordable = Math.floor(CREDITS / IMAGE_CREDITS);
  expect(statuses(spent)).toEqual({ 200: affordable, 402: RACERS - affordable });
  const refused = spent.filter(({ status }) => status === 402).map(({ body }) => body);
  expect(refused.every(({ insufficient_credits }) => insufficient_credits === true)).toBeTrue();
  for (const node of cluster.nodes) {
    const { body } = await call(node, 'GET', '/api/credits', { cookie });
    expect(body.balance).toBe(CREDITS - affordable * IMAGE_CREDITS);
    const { history } = (await call(node, 'GET', '/api/credits/history?limit=100', { cookie })).body;
    const sum = history.reduce((total: number, { credits }: { credits: number }) => total + credits, 0);
    expect(sum).toBe(body.balance);
  }
}, 120_000);

test('an address may call functions so often in a minute, wherever it asks', async () => {
  const code = `export default { fetch: () => new Response('called') };`;
  await asOwner(nodeOf(0), 'POST', '/api/functions', { body: { slug: 'limited', code } });
  const headers = { 'x-forwarded-for': '198.51.100.7' };
  const called = await race((node) =>
    call(node, 'POST', '/api/functions/limited', { headers, timeoutMs: 60_000 }),
  );
  expect(statuses(called)).toEqual({ 200: CALLS_PER_MINUTE, 429: RACERS - CALLS_PER_MINUTE });
}, 120_000);
