import { expect, test } from 'bun:test';
import { Span, Trace } from './span.ts';

test('every trace and every span has an id of its own', () => {
  const sink = { add: () => undefined, drop: () => undefined, later: () => undefined };
  const traces = Array.from({ length: 2_000 }, () => new Trace(sink));
  const spans = traces.map((trace) => new Span(trace, undefined, 'GET'));
  expect(new Set(traces.map(({ id }) => id)).size).toBe(traces.length);
  expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length);
  for (const { traceparent } of spans) expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
});
