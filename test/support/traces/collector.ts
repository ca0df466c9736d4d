import { waitUntil } from '../server.ts';

/** A span as a collector receives it. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: number;
  startNs: bigint;
  endNs: bigint;
  attributes: Record<string, unknown>;
  isFailed: boolean;
}

/** What the collector does with a request. */
type Behaviour = 'takes' | 'fails' | 'redirects' | 'hangs';

/** A collector of traces that speaks OTLP over HTTP. */
export class Collector {
  readonly spans: ReceivedSpan[] = [];
  /** The bodies as they came. */
  readonly bodies: string[] = [];
  readonly requests: Request[] = [];
  behaviour: Behaviour = 'takes';
  readonly #server: Bun.Server<undefined>;
  readonly #hanging: Array<() => void> = [];

  constructor(port = 0) {
    this.#server = Bun.serve({
      port,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: (request) => this.#respond(request),
    });
  }

  get port(): number {
    return this.#server.port as number;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get settings(): Record<string, string> {
    return { OTEL_EXPORTER_OTLP_ENDPOINT: this.url, OTEL_TRACES_SAMPLER_ARG: '1' };
  }

  /** The spans of a request, when they have all come. */
  async untilTraced(requestId: string, names: string[] = []): Promise<ReceivedSpan[]> {
    const find = () => {
      const root = this.spans.find(({ attributes }) => attributes['quire.request_id'] === requestId);
      return root ? this.spans.filter(({ traceId }) => traceId === root.traceId) : [];
    };
    await waitUntil(async () => {
      const found = find().map(({ name }) => name);
      return found.length > 0 && names.every((name) => found.includes(name));
    }).catch((error: Error) => {
      throw new Error(
        `${error.message} for ${names} of ${requestId}, got: ${find().map(({ name }) => name)}`,
      );
    });
    return find();
  }

  stop(): Promise<void> {
    for (const end of this.#hanging) end();
    return this.#server.stop(true);
  }

  async #respond(request: Request): Promise<Response> {
    this.requests.push(request);
    const body = await request.text();
    this.bodies.push(body);
    switch (this.behaviour) {
      case 'fails':
        return new Response('no', { status: 500 });
      case 'redirects':
        return new Response(null, { status: 307, headers: { location: `${this.url}/elsewhere` } });
      case 'hangs':
        await new Promise<void>((resolve) => this.#hanging.push(resolve));
        return new Response(null, { status: 503 });
      case 'takes':
        this.spans.push(...readSpans(body));
        return Response.json({});
    }
  }
}

/** Draws spans as a tree: each line is a name, indented below its parent. */
export function drawTree(spans: ReceivedSpan[], parent?: string, indent = ''): string[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .sort((a, b) => Number(a.startNs - b.startNs))
    .flatMap(({ spanId, name }) => [indent + name, ...drawTree(spans, spanId, `${indent}  `)]);
}

type Attribute = { key: string; value: Record<string, unknown> };

function readSpans(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body);
  return resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: Array<{ spans: Array<never> }> }) =>
    scopeSpans.flatMap(({ spans }) => spans.map(readSpan)),
  );
}

function readSpan(span: {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status?: { code: number };
}): ReceivedSpan {
  const { traceId, spanId, parentSpanId, name, kind, status } = span;
  return {
    ...{ traceId, spanId, parentSpanId, name, kind },
    startNs: BigInt(span.startTimeUnixNano),
    endNs: BigInt(span.endTimeUnixNano),
    attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
    isFailed: status?.code === 2,
  };
}
