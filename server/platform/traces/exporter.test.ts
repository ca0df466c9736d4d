import { afterEach, expect, test } from 'bun:test';
import { waitUntil } from '../../../test/support/server.ts';
import { Collector } from '../../../test/support/traces/collector.ts';
import { Exporter, MAX_WAITING } from './exporter.ts';
import { MAX_SPANS, Span, type SpanSink, Trace } from './span.ts';
import { MAX_LATER, Traces } from './traces.ts';

const collector = new Collector();
const opened: Array<{ stop(withinMs: number): Promise<void> }> = [];
let lines: string[] = [];
const log = {
  info: (fields: object, message: string) => void lines.push(`info ${message} ${JSON.stringify(fields)}`),
  warn: (fields: object, message: string) => void lines.push(`warn ${message} ${JSON.stringify(fields)}`),
};

afterEach(async () => {
  for (const each of opened.splice(0)) await each.stop(0);
  Object.assign(collector, { behaviour: 'takes', spans: [], requests: [], bodies: [] });
  lines = [];
});

function open(): Exporter {
  const exporter = new Exporter({ url: `${collector.url}/v1/traces`, headers: {}, resource: {}, log });
  opened.push(exporter);
  return exporter;
}

function openTraces(ratio: number): Traces {
  const traces = new Traces({ url: `${collector.url}/v1/traces`, headers: {}, resource: {}, ratio, log });
  opened.push(traces);
  return traces;
}

/** Ends a span that is sent to these. */
function end(sink: Pick<SpanSink, 'add'>, count = 1): void {
  const trace = new Trace({
    drop: () => undefined,
    later: () => undefined,
    ...sink,
    add: (span) => sink.add(span),
  });
  for (let at = 0; at < count; at++) sink.add(new Span(trace, undefined, `span ${at}`));
}

test('sends what is added, in batches, and what is left when it stops', async () => {
  const exporter = open();
  end(exporter, 600);
  await waitUntil(async () => exporter.counts.sent === 600);
  end(exporter);
  await exporter.stop(60_000);
  expect(exporter.counts).toEqual({ sent: 601, failed: 0, dropped: 0 });
  expect(collector.spans).toHaveLength(601);
  expect(lines).toEqual([]);
});

test(`keeps ${MAX_WAITING} spans for a collector that hangs, and drops one more`, async () => {
  collector.behaviour = 'hangs';
  const exporter = open();
  end(exporter, 512);
  await waitUntil(async () => collector.requests.length === 1);
  end(exporter, MAX_WAITING);
  expect(exporter.counts.dropped).toBe(0);
  end(exporter);
  expect(exporter.counts.dropped).toBe(1);
  // It ends although the collector never responds.
  await exporter.stop(10);
  expect(exporter.counts).toEqual({ sent: 0, failed: 512, dropped: 1 + MAX_WAITING });
});

test('drops what a collector does not take, says so once, and goes on', async () => {
  collector.behaviour = 'fails';
  const exporter = open();
  for (const failed of [1, 2]) {
    end(exporter);
    await waitUntil(async () => exporter.counts.failed === failed);
  }
  collector.behaviour = 'takes';
  end(exporter);
  await waitUntil(async () => exporter.counts.sent === 1);
  expect(lines.map((line) => line.split(':')[0])).toEqual([
    'warn spans are lost',
    expect.stringContaining('info the collector of traces takes spans again'),
  ]);
  expect(lines[0]).toContain('it responded with status 500');
});

test('follows no redirect, which would take the headers elsewhere', async () => {
  collector.behaviour = 'redirects';
  const exporter = open();
  end(exporter);
  await waitUntil(async () => exporter.counts.failed === 1);
  expect(collector.requests.map(({ url }) => new URL(url).pathname)).toEqual(['/v1/traces']);
});

test('survives a collector that is gone', async () => {
  const gone = new Collector();
  const exporter = new Exporter({ url: `${gone.url}/v1/traces`, headers: {}, resource: {}, log });
  await gone.stop();
  end(exporter);
  await waitUntil(async () => exporter.counts.failed === 1);
  await exporter.stop(60_000);
  expect(lines).toHaveLength(1);
  end(exporter);
  expect(exporter.counts).toEqual({ sent: 0, failed: 1, dropped: 1 });
});

test(`a trace has ${MAX_SPANS} spans at most`, async () => {
  const traces = openTraces(1);
  const root = traces.begin(new Request('http://localhost/'), 'an-id');
  for (let at = 0; at < MAX_SPANS; at++) root?.child('part').end();
  expect(traces.counts.dropped).toBe(0);
  root?.end();
  expect(traces.counts.dropped).toBe(1);
});

test(`asks ${MAX_LATER} questions at once, and gives up those that nobody answers when it stops`, async () => {
  const traces = openTraces(1);
  let asked = 0;
  const ask = () =>
    traces.later(async (signal) => {
      asked++;
      expect(signal.aborted).toBe(false);
      await new Promise(() => undefined);
    });
  for (let at = 0; at < MAX_LATER; at++) ask();
  expect([asked, traces.counts.dropped]).toEqual([MAX_LATER, 0]);
  ask();
  expect([asked, traces.counts.dropped]).toEqual([MAX_LATER, 1]);
  await traces.stop();
  expect(traces.counts.dropped).toBe(MAX_LATER + 1);
});

test('traces the part of requests that it should', () => {
  const request = new Request('http://localhost/', {
    headers: { traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01` },
  });
  const begin = (ratio: number) => {
    const traces = openTraces(ratio);
    return Array.from({ length: 20_000 }, () => traces.begin(request, 'an-id')).filter(Boolean).length;
  };
  expect(begin(0)).toBe(0);
  expect(begin(1)).toBe(20_000);
  const part = begin(0.01);
  // With one in a million tests, chance takes it further.
  expect(part > 120 && part < 290).toBe(true);
});
