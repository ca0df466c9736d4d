import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_TRACED_CALLS, MAX_TRACED_STATEMENTS } from '../../../workers/protocol.ts';
import { type FunctionApp, functionApp, handler } from '../../support/functions/app.ts';
import { Collector, drawTree } from '../../support/traces/collector.ts';

let collector: Collector;
let app: FunctionApp;

beforeAll(async () => {
  collector = new Collector();
  app = await functionApp({
    ...collector.settings,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20for-the-collector, x-tenant=quire',
    OTEL_SERVICE_NAME: 'quire under test',
    // Nothing responds there.
    QUIRE_NPM_REGISTRY: 'http://127.0.0.1:9',
  });
});
afterAll(async () => {
  await app.quire.stop();
  await collector.stop();
});

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: functions answer what they like
  data: any;
}

/** Calls a function as a browser does, and returns the id of the request. */
async function post(slug: string, headers: Record<string, string> = {}, body = '{}') {
  const response = await app.quire.request(`/api/functions/${slug}?token=in-the-query`, {
    method: 'POST',
    headers,
    body,
  });
  return { requestId: response.headers.get('x-request-id') ?? '', body: (await response.json()) as Answer };
}

const SAVE = handler(`
  await env.DB.exec('CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT)');
  await env.DB.prepare('INSERT INTO notes (text) VALUES (?)').bind('a-secret-value').run();
  const { results } = await env.DB.prepare("SELECT * FROM notes WHERE text <> 'a-secret-literal'").all();
  return Response.json({ success: true, data: { notes: results.length, headers: [...request.headers.keys()] } })`);

describe('a traced call of a function', () => {
  test('is one tree, from the front door to the statements in its database', async () => {
    const slug = await app.deploy(SAVE, { enableDatabase: true });
    const { requestId, body } = await post(slug);
    expect(body.data.notes).toBe(1);
    const spans = await collector.untilTraced(requestId, ['cell', 'SQL CREATE', 'SQL INSERT', 'SQL SELECT']);
    const ours = spans.filter(({ name }) => !/^SQL \w+ \w/.test(name));
    expect(drawTree(ours)).toEqual([
      'POST function',
      '  function call',
      '    gate',
      '    wait for a cell',
      '    cell',
      '      database',
      '        SQL CREATE',
      '      database',
      '        SQL INSERT',
      '      database',
      '        SQL SELECT',
    ]);
    for (const { parentSpanId, startNs, endNs, name } of spans) {
      expect({ name, isForward: endNs >= startNs }).toEqual({ name, isForward: true });
      const parent = spans.find(({ spanId }) => spanId === parentSpanId);
      expect(parent !== undefined || name === 'POST function').toBe(true);
    }
    const called = spans.find(({ name }) => name === 'function call');
    const ownHost = `http://f${called?.attributes['quire.function_id']}.functions.localhost:3000/`;
    const again = await app.quire.request(ownHost, { method: 'POST', body: '{}' });
    expect(((await again.json()) as Answer).data.notes).toBe(2);
    const insert = spans.find(({ name }) => name === 'SQL INSERT');
    expect(insert?.attributes).toMatchObject({ 'db.operation.name': 'INSERT', 'quire.rows_written': '1' });
  });

  test('says nothing of texts, values, queries, bodies and credentials', async () => {
    const slug = await app.deploy(SAVE, { enableDatabase: true });
    const { token } = app.owner;
    const { requestId, body } = await post(slug, { authorization: `Bearer ${token}` }, '"in-the-body"');
    await collector.untilTraced(requestId, ['SQL SELECT']);
    const sent = collector.bodies.join();
    expect(sent).toContain('quire under test');
    for (const secret of ['in-the-query', 'in-the-body', 'a-secret', token, 'notes', slug])
      expect([secret, sent.includes(secret)]).toEqual([secret, false]);
    expect(body.data.headers).not.toContain('x-quire-traceparent');
    const [request] = collector.requests;
    expect(request?.headers.get('authorization')).toBe('Bearer for-the-collector');
    expect(request?.headers.get('x-tenant')).toBe('quire');
    expect(new URL(request?.url ?? '').pathname).toBe('/v1/traces');
  });

  test('has the time of a whole transaction, with its statements', async () => {
    const slug = await app.deploy(
      handler(`await env.DB.transaction(async (tx) => {
          await tx.prepare('CREATE TABLE t (a)').run();
          await tx.prepare('INSERT INTO t VALUES (1)').run();
        });
        return Response.json({ success: true })`),
      { enableDatabase: true },
    );
    const { requestId } = await post(slug);
    const spans = await collector.untilTraced(requestId, ['database transaction', 'SQL INSERT']);
    const whole = spans.find(({ name }) => name === 'database transaction');
    const inside = spans.filter(({ parentSpanId }) => parentSpanId === whole?.spanId);
    expect(inside.map(({ name }) => name)).toEqual(['SQL CREATE', 'SQL INSERT']);
    expect((whole?.endNs ?? 0n) >= (inside.at(-1)?.endNs ?? 1n)).toBe(true);
  });

  test(`keeps ${MAX_TRACED_STATEMENTS} statements of a call, and leaves out one more`, async () => {
    const slug = await app.deploy(
      handler(`const many = Array.from({ length: await request.json() }, () => env.DB.prepare('SELECT 1'));
        await env.DB.batch(many);
        return Response.json({ success: true })`),
      { enableDatabase: true },
    );
    for (const count of [MAX_TRACED_STATEMENTS, MAX_TRACED_STATEMENTS + 1]) {
      const { requestId } = await post(slug, {}, String(count));
      const spans = await collector.untilTraced(requestId, ['SQL SELECT']);
      expect(spans.filter(({ name }) => name === 'SQL SELECT')).toHaveLength(MAX_TRACED_STATEMENTS);
    }
  });

  test('knows how long a statement ran, and how many rows it read', async () => {
    const slug = await app.deploy(
      handler(`await env.DB.exec('CREATE TABLE n (a)');
        await env.DB.prepare('INSERT INTO n WITH RECURSIVE r (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM r WHERE a < 100000) SELECT a FROM r').run();
        const { results } = await env.DB.prepare('SELECT count(*) AS found FROM n WHERE a % 7 = 0').all();
        return Response.json({ success: true, data: results[0] })`),
      { enableDatabase: true },
    );
    const { requestId } = await post(slug);
    const spans = await collector.untilTraced(requestId, ['SQL SELECT']);
    const find = (wanted: string) => spans.find(({ name }) => name === wanted);
    expect(find('SQL INSERT')?.attributes['quire.rows_written']).toBe('100000');
    expect(Number(find('SQL SELECT')?.attributes['quire.rows_read'])).toBeGreaterThanOrEqual(100_000);
    // No machine writes as many rows in a millisecond. A clock that stands still would say 0.
    const insert = find('SQL INSERT');
    expect((insert?.endNs ?? 0n) - (insert?.startNs ?? 0n) > 1_000_000n).toBe(true);
  });

  test('takes the spans of the service’s own database, by table', async () => {
    const answer = await app.owner.call('GET', '/api/pages');
    const requestId = answer.headers.get('x-request-id') ?? '';
    const spans = await collector.untilTraced(requestId, ['gate']);
    const [root] = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(root).toMatchObject({
      name: 'GET /api/pages',
      attributes: { 'http.response.status_code': '200' },
    });
    expect(spans.map(({ name }) => name).filter((name) => /^SQL SELECT pages$/.test(name))).not.toEqual([]);
  });
});

describe('an error', () => {
  test('leads with its request id to its trace and its log lines', async () => {
    const slug = await app.deploy(handler(`throw new Error('broken')`));
    const { requestId } = await post(slug);
    const spans = await collector.untilTraced(requestId, ['cell']);
    const failed = spans.filter(({ isFailed }) => isFailed).map(({ name }) => name);
    expect(failed.sort()).toEqual(['POST function', 'cell', 'function call']);
  });

  test('of the service has the id of its trace in all lines of the log', async () => {
    const code = `import 'npm:some-package@1';\n${handler('return new Response()')}`;
    const asked = { slug: 'with-package', code };
    const answer = await app.owner.call('POST', '/api/functions', { body: asked });
    const requestId = answer.headers.get('x-request-id') ?? '';
    const spans = await collector.untilTraced(requestId, ['gate', 'POST /api/functions']);
    const root = spans.find(({ attributes }) => attributes['quire.request_id'] === requestId);
    expect(root?.isFailed).toBe(true);
    const lines = app.quire.logs
      .map((line) => JSON.parse(line))
      .filter((line) => line.requestId === requestId);
    expect(answer.status).toBe(503);
    expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
      'error request failed',
      'info request',
    ]);
    for (const line of lines) expect(line.traceId).toBe(root?.traceId ?? '');
  });
});

const CALLER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('the traceparent of a caller', () => {
  test.each<[string, string, boolean]>([
    ['a valid one', CALLER, true],
    ['one that is not sampled', CALLER.replace(/01$/, '00'), true],
    ['one of a later version, with more fields', `${CALLER.replace(/^00/, 'cc')}-more`, true],
    ['one of the invalid version', CALLER.replace(/^00/, 'ff'), false],
    ['one with more fields than its version has', `${CALLER}-more`, false],
    ['zeros as a trace', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, false],
    ['zeros as a span', `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`, false],
    ['capital letters', CALLER.toUpperCase(), false],
    ['two of them', `${CALLER}, ${CALLER}`, false],
    ['a script', '<script>alert(1)</script>', false],
    ['a long one', `cc${CALLER.slice(2)}-${'a'.repeat(10_000)}`, false],
  ])('never becomes part of ours: %s', async (_, traceparent, isNoted) => {
    const response = await app.quire.request('/api/functions/nothing', {
      method: 'POST',
      headers: { traceparent, 'x-quire-traceparent': traceparent },
    });
    const requestId = response.headers.get('x-request-id') ?? '';
    const spans = await collector.untilTraced(requestId, ['gate']);
    const root = spans.find(({ attributes }) => attributes['quire.request_id'] === requestId);
    expect(root?.traceId).not.toBe(CALLER.slice(3, 35));
    expect(root?.parentSpanId).toBeUndefined();
    expect(root?.attributes['quire.caller.trace_id']).toBe(isNoted ? CALLER.slice(3, 35) : undefined);
    expect(root?.attributes['quire.caller.span_id']).toBe(isNoted ? CALLER.slice(36, 52) : undefined);
  });
});

describe('owner code that forges marks', () => {
  test('adds nothing to the traces of others, and takes no place in them', async () => {
    const forge = await app.deploy(
      handler(`const { traceparent } = await request.json();
        const body = '{"sql":"SELECT 2"}';
        const ask = (mark) => env.DB.fetcher.fetch('http://d1/query', { method: 'POST', body, headers: { 'x-quire-traceparent': mark } });
        const odd = ['', 'x', traceparent + '-01', 'a'.repeat(5000), traceparent.toUpperCase()];
        const answers = await Promise.all([traceparent, ...odd].map(ask));
        for (let i = 0; i <= ${MAX_TRACED_CALLS}; i++) await ask('00-' + String(i).padStart(32, '0') + '-00f067aa0ba902b7-01');
        env.DB[Symbol.for('quire.startTrace')]?.(traceparent, () => env.DB.prepare('DELETE FROM nothing').run().catch(() => 0));
        return Response.json({ success: true, data: answers.map(({ status }) => status) })`),
      { enableDatabase: true },
    );
    const victim = await app.deploy(SAVE, { enableDatabase: true });
    const first = await post(victim);
    const spans = await collector.untilTraced(first.requestId, ['cell', 'SQL SELECT']);
    const cell = spans.find(({ name }) => name === 'cell');
    const traceparent = `00-${cell?.traceId}-${cell?.spanId}-01`;
    const forged = await post(forge, {}, JSON.stringify({ traceparent }));
    expect(forged.body.data).toEqual([200, 200, 200, 200, 200, 200]);
    await collector.untilTraced(forged.requestId, ['cell']);
    // What the other function runs next is still in its own trace.
    const second = await post(victim);
    await collector.untilTraced(second.requestId, ['SQL INSERT']);
    const known = collector.spans.filter(({ traceId }) => traceId === cell?.traceId);
    expect(known).toHaveLength(spans.length);
    expect(collector.spans.filter(({ traceId }) => traceId.startsWith('0'.repeat(20)))).toEqual([]);
  });
});
