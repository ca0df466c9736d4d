import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { register } from '../support/http/client.ts';
import { readMetrics } from '../support/http/metrics.ts';
import { startServer, type TestServer, untilPrinted, waitUntil } from '../support/server.ts';
import { Collector } from '../support/traces/collector.ts';

const LOST = 'spans are lost: the collector of traces does not take them';

let collector: Collector;
let server: TestServer;
const opened: TestServer[] = [];

beforeAll(async () => {
  collector = new Collector();
  server = await open(collector.settings);
}, 120_000);
afterAll(async () => {
  await Promise.all(opened.map((each) => each.kill()));
  await collector.stop();
});

async function open(settings: Record<string, string>): Promise<TestServer> {
  const started = await startServer({ settings: { QUIRE_LOG_LEVEL: 'debug', ...settings } });
  opened.push(started);
  return started;
}

/** Sends a request that is traced, and returns its id. */
async function ask(to = server): Promise<string> {
  const response = await fetch(`${to.baseUrl}/api/pages`);
  expect(response.status).toBe(401);
  return response.headers.get('x-request-id') ?? '';
}

async function counts(to = server): Promise<Record<string, number | undefined>> {
  const metrics = readMetrics(await (await fetch(`${to.baseUrl}/metrics`)).text());
  const find = (result: string) => metrics.get(`quire_trace_spans_total{result="${result}"}`);
  return { sent: find('sent'), failed: find('failed'), dropped: find('dropped') };
}

describe('a collector', () => {
  test('that responds with 500, and is killed, stops nothing, and gets spans again when it is back', async () => {
    await collector.untilTraced(await ask());
    const { sent = 0, failed } = await counts();
    expect([sent > 0, failed]).toEqual([true, 0]);
    collector.behaviour = 'fails';
    await ask();
    await waitUntil(async () => ((await counts()).failed ?? 0) > 0);
    const { port } = collector;
    await collector.stop();
    const before = (await counts()).failed ?? 0;
    await ask();
    await waitUntil(async () => ((await counts()).failed ?? 0) > before);
    collector = new Collector(port);
    await collector.untilTraced(await ask(), ['gate']);
    await untilPrinted(server, 'the collector of traces takes spans again');
    expect(server.output().split(LOST)).toHaveLength(2);
  });

  test('that hangs neither slows requests nor keeps the server from stopping in good order', async () => {
    const hanging = new Collector();
    hanging.behaviour = 'hangs';
    const held = await open(hanging.settings);
    await register(held, 'ada');
    await waitUntil(async () => hanging.requests.length > 0);
    // More spans than the queue has places.
    for (let round = 0; round < 30; round++) await Promise.all(Array.from({ length: 50 }, () => ask(held)));
    await waitUntil(async () => ((await counts(held)).dropped ?? 0) > 0);
    expect(await held.stop()).toBe(0);
    await hanging.stop();
  });

  test('gets the last spans when the server stops', async () => {
    const last = new Collector();
    const stopping = await open(last.settings);
    const requestId = await ask(stopping);
    expect(await stopping.stop()).toBe(0);
    const ids = last.spans.map(({ attributes }) => attributes['quire.request_id']);
    expect(ids).toContain(requestId);
    await last.stop();
  });
});

describe('without traces', () => {
  test('nothing is sent, the log has no ids of traces, and no metric exists', async () => {
    const unused = new Collector();
    const quiet = await open({ OTEL_TRACES_SAMPLER_ARG: '1' });
    const requestId = await ask(quiet);
    await untilPrinted(quiet, `"requestId":"${requestId}"`);
    expect(await counts(quiet)).toEqual({ sent: undefined, failed: undefined, dropped: undefined });
    expect(await quiet.stop()).toBe(0);
    expect(quiet.output()).not.toContain('traceId');
    expect(unused.requests).toEqual([]);
    await unused.stop();
  });

  test('with a part of 0, nothing is sent either', async () => {
    const unused = new Collector();
    const quiet = await open({ ...unused.settings, OTEL_TRACES_SAMPLER_ARG: '0' });
    await ask(quiet);
    expect(await counts(quiet)).toEqual({ sent: 0, failed: 0, dropped: 0 });
    expect(await quiet.stop()).toBe(0);
    expect(unused.requests).toEqual([]);
    await unused.stop();
  });
});
