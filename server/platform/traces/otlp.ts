import type { Attributes, Span } from './span.ts';

/** OTLP's numbers for kinds of spans, and for the status of one that failed. */
const KINDS = { internal: 1, server: 2, client: 3 } as const;
const FAILED = 2;

/** Spans as a request of OTLP over HTTP, in JSON. */
export function toOtlp(spans: readonly Span[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeSpans: [{ scope: { name: 'quire' }, spans: spans.map(toSpan) }],
      },
    ],
  });
}

function toSpan(span: Span) {
  return {
    traceId: span.trace.id,
    spanId: span.id,
    ...(span.parent && { parentSpanId: span.parent.id }),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: toNanoseconds(span.startMs),
    endTimeUnixNano: toNanoseconds(Math.max(span.startMs, span.endMs)),
    attributes: toAttributes(span.attributes),
    ...(span.isFailed && { status: { code: FAILED } }),
  };
}

/** A number of nanoseconds has more digits than JavaScript's numbers, so microseconds are as exact as it gets. */
function toNanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1000)}000`;
}

function toAttributes(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }));
}

function toValue(value: string | number | boolean) {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
