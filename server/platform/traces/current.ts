import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Span, SpanKind } from './span.ts';
import { describeStatement } from './statement-name.ts';

/** The span that code is part of. It is entered only for requests that are traced. */
const current = new AsyncLocalStorage<Span>();

/** The span that code is part of; undefined if it is not traced, and after its request. */
export function currentSpan(): Span | undefined {
  const span = current.getStore();
  return span?.trace.isOver ? undefined : span;
}

/** Begins a part of the current span; undefined if there is none. Give it to `runSpan`, or call its `end`. */
export function startSpan(name: string, kind?: SpanKind, attributes?: Attributes): Span | undefined {
  return currentSpan()?.child(name, kind, attributes);
}

/** Runs code as a span, which ends with it. */
export async function runSpan<T>(span: Span, work: () => T | Promise<T>): Promise<T> {
  try {
    return await current.run(span, work);
  } catch (error) {
    span.isFailed = true;
    throw error;
  } finally {
    span.end();
  }
}

/** Runs code that responds as a span, which fails with a response that does. */
export function runResponding<T extends { status: number }>(
  span: Span,
  work: () => T | Promise<T>,
): Promise<T> {
  return runSpan(span, async () => {
    const response = await work();
    span.attributes['http.response.status_code'] = response.status;
    span.isFailed = response.status >= 500;
    return response;
  });
}

/**
 * Runs a request that is traced. The response ends its trace: what goes on after that, such as a stream, is not part of
 * it.
 */
export async function runRequest(span: Span, work: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await runResponding(span, work);
  } finally {
    span.trace.isOver = true;
  }
}

/** Names the request that is current after its route. */
export function nameRequest(route: string): void {
  const span = currentSpan();
  if (!span || span.parent) return;
  span.name = `${span.attributes['http.request.method']} ${route}`;
  span.attributes['http.route'] = route;
}

/** Keeps the span that is current now for work that something else calls later, or keeps that other's span out of it. */
export function keepSpan<Args extends unknown[], T>(work: (...args: Args) => T): (...args: Args) => T {
  const span = currentSpan();
  return (...args) => (span ? current.run(span, work, ...args) : outsideSpan(() => work(...args)));
}

/** Runs what goes on after the request that happens to start it. */
export function outsideSpan<T>(work: () => T): T {
  return current.getStore() ? current.exit(work) : work();
}

/** Begins the span of a statement of the service's own database. */
export function startStatement(text: string): Span | undefined {
  const span = currentSpan();
  return span?.child(...describeStatement(text));
}

/** Adds a statement that has just ended. */
export function noteStatement(text: string, milliseconds: number, isFailed: boolean): void {
  const parent = currentSpan();
  if (!parent) return;
  const endMs = parent.trace.now();
  const span = parent.child(...describeStatement(text), endMs - milliseconds);
  span.isFailed = isFailed;
  span.end(endMs);
}
