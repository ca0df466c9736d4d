import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { promote } from '../../support/backup.ts';
import { create, publishApp } from '../../support/data/data.ts';
import { handler } from '../../support/functions/app.ts';
import { readMetrics } from '../../support/http/metrics.ts';
import { waitUntil } from '../../support/server.ts';

let quire: TestApp;
let ada: TestUser;
let admin: string;

beforeAll(async () => {
  quire = await testApp({
    QUIRE_TRUSTED_PROXIES: '10.0.0.9',
    QUIRE_METRICS_ALLOW: '10.0.0.0/24, ::1/128',
    QUIRE_FUNCTION_CALLS_PER_MINUTE: '3',
  });
  ada = await quire.user('ada');
  await promote(quire, 'ada');
  const body = { username: 'ada', password: ada.password, scopes: ['admin'] };
  admin = (await quire.call('POST', '/api/auth/token', { body })).body.accessToken;
});
afterAll(() => quire.stop());

async function scrape(): Promise<Map<string, number>> {
  const response = await quire.request('/metrics', { peer: '10.0.0.1' });
  expect(response.status).toBe(200);
  return readMetrics(await response.text());
}

/** How much a metric grows during an action. */
async function growth(names: string[], work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await scrape();
  await work();
  const after = await scrape();
  return Object.fromEntries(names.map((name) => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)]));
}

describe('access to /metrics', () => {
  const FORWARDED = 'x-forwarded-for';
  test.each<[string, string, Record<string, string>]>([
    ['an allowed address', '10.0.0.1', {}],
    ['the last address of a block', '10.0.0.255', {}],
    ['an allowed address behind a trusted proxy', '10.0.0.9', { [FORWARDED]: '203.0.113.7, 10.0.0.2' }],
    ['IPv4 written as IPv6', '::ffff:10.0.0.1', {}],
  ])('is granted to %s', async (_, peer, headers) => {
    const response = await quire.request('/metrics', { peer, headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('is granted to a token with the admin scope, from anywhere', async () => {
    const headers = { authorization: `Bearer ${admin}` };
    expect((await quire.request('/metrics', { peer: '203.0.113.7', headers })).status).toBe(200);
  });

  test.each<[string, string, Record<string, string>]>([
    ['an address after the block', '10.0.1.0', {}],
    ['loopback, if it is not allowed', '127.0.0.1', {}],
    ['a stranger behind a trusted proxy', '10.0.0.9', { [FORWARDED]: '10.0.0.1, 203.0.113.7' }],
    ['a stranger with a forged header', '203.0.113.7', { [FORWARDED]: '10.0.0.1' }],
    ['a client behind a proxy that is not trusted', '10.0.0.1', { [FORWARDED]: '10.0.0.1' }],
    ['a client behind a proxy that does not name it', '10.0.0.9', { via: '1.1 proxy' }],
    ['a stranger named with a port by a trusted proxy', '10.0.0.9', { [FORWARDED]: '203.0.113.7:4711' }],
    ['a stranger that a trusted proxy cannot name', '10.0.0.9', { [FORWARDED]: 'unknown' }],
    ['an unnamed client behind two proxies', '10.0.0.9', { [FORWARDED]: 'unknown, 10.0.0.9' }],
    ['a client without an address', '', {}],
  ])('is refused to %s', async (_, peer, headers) => {
    const answer = await quire.call('GET', '/metrics', { peer, headers });
    expect(answer.status).toBe(403);
    expect(answer.body.error.message ?? answer.body.error).toContain('QUIRE_METRICS_ALLOW');
  });

  test.each([
    ['another scope', () => ada.token],
    ['an invalid token', () => 'nonsense'],
  ])('is refused to %s', async (_, token) => {
    const answer = await quire.call('GET', '/metrics', { peer: '203.0.113.7', token: token() });
    expect(answer.status).toBe(403);
  });

  test.each([
    ['the base URL', 'http://localhost:3000', 200],
    ['an IP address', 'http://10.0.0.7:3000', 200],
    ['a local name', 'http://quire:3000', 200],
    ['a name that anyone could point here', 'http://rebind.example.com:3000', 403],
  ])('at %s (%s) gets %d', async (_, origin, status) => {
    expect((await quire.request(`${origin}/metrics`, { peer: '10.0.0.1' })).status).toBe(status);
    const headers = { authorization: `Bearer ${admin}` };
    expect((await quire.request(`${origin}/metrics`, { peer: '10.0.0.1', headers })).status).toBe(200);
  });

  test("is refused on a page's own host", async () => {
    const { id } = await ada.publish();
    const url = `http://p${id}.pages.localhost:3000/metrics`;
    expect((await quire.request(url, { peer: '10.0.0.1' })).status).toBe(404);
  });
});

describe('metrics count', () => {
  const answered = (kind: string, status: string) =>
    `quire_http_request_duration_seconds_count{kind="${kind}",status="${status}"}`;

  test('pages by status, the cache, and views', async () => {
    const { slug } = await ada.publish();
    const names = [
      answered('page', '2xx'),
      answered('page', '4xx'),
      'quire_page_cache_hits_total',
      'quire_page_cache_loads_total',
    ];
    const grown = await growth(names, async () => {
      for (let round = 0; round < 3; round++) await quire.request(`/p/${slug}`);
      await quire.request('/p/there-is-none');
    });
    // The page that does not exist was looked up too.
    expect(Object.values(grown)).toEqual([3, 1, 2, 2]);
    const figures = await scrape();
    expect(figures.get('quire_page_cache_bytes')).toBeGreaterThan(0);
    expect(figures.get('quire_page_cache_pages')).toBeGreaterThan(0);
    expect(figures.has('quire_views_pending')).toBeTrue();
  });

  test('durations, in buckets that add up', async () => {
    await quire.request('/api/pages/nowhere');
    const figures = await scrape();
    const buckets = [...figures].filter(
      ([name]) => name.includes('_bucket') && name.includes('kind="api",status="4xx"'),
    );
    const values = buckets.map(([, value]) => value);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect(values).toHaveLength(17);
    expect(buckets.at(-1)?.[0]).toContain('le="+Inf"');
    expect(values.at(-1)).toBe(figures.get(answered('api', '4xx')));
    const sum = figures.get(answered('api', '4xx').replace('_count', '_sum')) ?? -1;
    expect(sum).toBeGreaterThan(0);
  });

  test('calls of functions, their cells, and refusals by the limit', async () => {
    const code = handler('return new Response("ok")');
    await ada.call('POST', '/api/functions', { body: { slug: 'counted', code } });
    const names = [
      answered('function', '2xx'),
      answered('function', '4xx'),
      'quire_limit_refusals_total{limit="function-calls"}',
    ];
    const grown = await growth(names, async () => {
      for (let call = 0; call < 4; call++)
        await quire.call('POST', '/api/functions/counted', { peer: '192.0.2.1' });
    });
    expect(Object.values(grown)).toEqual([3, 1, 1]);
    const figures = await scrape();
    expect(figures.get('quire_cells')).toBe(1);
    expect(figures.get('quire_cells_started_total')).toBe(1);
    expect(figures.get('quire_cell_calls_waiting')).toBe(0);
    for (const reason of ['cpu', 'memory', 'crash'])
      expect(figures.get(`quire_cell_deaths_total{reason="${reason}"}`)).toBe(0);
  });

  test('health checks separately', async () => {
    const grown = await growth([answered('probe', '2xx')], async () => {
      await quire.request('/livez');
      await quire.request('/readyz');
    });
    expect(Object.values(grown)).toEqual([2]);
  });

  test('the cost and the provider of a chat', async () => {
    const page = await ada.publish({ page_api_ai_enabled: true });
    const cookie = await ada.login();
    await quire.call('POST', '/api/credits/consents', { cookie, body: { pageId: page.id, limit: 5 } });
    const names = [
      'quire_credit_movements_total{kind="reserved"}',
      'quire_credit_movements_total{kind="settled"}',
      'quire_provider_calls_total{provider="chat"}',
      'quire_provider_failures_total{provider="chat"}',
      'quire_provider_circuit_open{provider="chat"}',
    ];
    const grown = await growth(names, async () => {
      const asked = await quire.call('POST', `/api/pages/${page.id}/page-api-ai`, {
        cookie,
        body: { system_prompt: 'Be brief.', messages: [{ role: 'user', content: 'Hello' }] },
      });
      expect(asked.status).toBe(200);
    });
    expect(Object.values(grown)).toEqual([1, 1, 1, 0, 0]);
  });

  test('open event streams and published events', async () => {
    const page = await publishApp(ada, 'social');
    const streaming = await quire.request(`/api/pages/${page.id}/events?collections=notes`, {
      headers: { authorization: `Bearer ${ada.token}` },
    });
    const reader = streaming.body?.getReader();
    await reader?.read();
    expect(streaming.status).toBe(200);
    expect((await scrape()).get('quire_event_streams')).toBe(1);
    const grown = await growth(['quire_events_published_total'], () =>
      create(ada, `${page.address}/notes`, { text: 'x' }),
    );
    expect(grown.quire_events_published_total).toBeGreaterThan(0);
    await reader?.cancel();
    expect((await scrape()).get('quire_event_streams')).toBe(0);
  });

  test('failed queries, connections, blobs, hosts and the process', async () => {
    const figures = await scrape();
    for (const name of [
      'quire_storage_failures_total{kind="unreachable"}',
      'quire_storage_connections',
      'quire_storage_connections_in_use',
      'quire_storage_waiting',
      'quire_blob_operations_total{operation="put"}',
      'quire_blob_failures_total{operation="put"}',
      'quire_database_hosts',
      'quire_database_host_restarts_total',
      'quire_draining',
      'nodejs_eventloop_lag_max_seconds',
    ])
      expect([name, figures.has(name)]).toEqual([name, true]);
    expect(figures.get('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(figures.get('process_resident_memory_bytes')).toBeGreaterThan(10 * 1024 * 1024);
    expect((figures.get('quire_storage_connections') ?? 0) > 0).toBe(quire.databaseUrl !== undefined);
  });

  test('nothing by the name of a page, a person or a function', async () => {
    const text = await (await quire.request('/metrics', { peer: '10.0.0.1' })).text();
    for (const name of ['ada', 'counted', 'there-is-none']) expect(text).not.toMatch(new RegExp(`"${name}"`));
  });
});

test('the age of the last backup, and schedules that are late', async () => {
  expect((await quire.call('GET', '/readyz')).body.lastBackup).toBeNull();
  const headers = { authorization: `Bearer ${admin}` };
  await (await quire.request('/api/admin/backup', { headers })).arrayBuffer();
  const broken = await quire.request('/api/admin/backup', { headers });
  await broken.body?.cancel();
  const ages = async () => [...(await scrape()).keys()].filter((name) => name.startsWith('quire_backup_age'));
  await waitUntil(async () => (await ages()).length === 2);
  expect(await ages()).toEqual([
    'quire_backup_age_seconds{result="complete"}',
    'quire_backup_age_seconds{result="failed"}',
  ]);
  const { lastBackup } = (await quire.call('GET', '/readyz')).body;
  expect(lastBackup).toEqual({ ageSeconds: expect.any(Number), result: expect.any(String) });

  const code = 'export default { async fetch() { return new Response("") }, async scheduled() {} }';
  const schedules = [{ cron: '* * * * *' }];
  const deployed = await ada.call('POST', '/api/functions', { body: { slug: 'late', code, schedules } });
  expect(deployed.status).toBe(201);
  expect((await scrape()).get('quire_schedules_delayed')).toBe(0);
  // A node that claims no more runs.
  quire.app.drain();
  quire.advance(180_000);
  await quire.app.sweep();
  expect((await scrape()).get('quire_schedules_delayed')).toBe(1);
});
