import type { Metric, Registry } from 'prom-client';

/** The kinds of requests. Keep them few: each has a histogram for each class of status. */
export const REQUEST_KIND = { page: 0, function: 1, api: 2, probe: 3, other: 4 } as const;
/** Their names. */
export const REQUEST_KINDS = Object.keys(REQUEST_KIND);

/** Durations in seconds. A cached page takes about 10 µs, a chat half a minute. */
const BUCKETS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** The last cell counts everything slower. */
const CELLS = BUCKETS.length + 1;
const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'];

const NAME = 'quire_http_request_duration_seconds';
const HELP = 'Requests, and the time until their response began.';

export interface RequestCounts {
  count(kind: number, status: number, milliseconds: number): void;
  /** Adds the counts to a registry. */
  register(registry: Registry): void;
}

/**
 * Counts requests. Serving a page takes only about 20 µs, so counting must be cheap: it increments an array, and the
 * histogram is built only when the metrics are read.
 */
export function createRequestCounts(): RequestCounts {
  const series = REQUEST_KINDS.length * CLASSES.length;
  const counts = new Float64Array(series * CELLS);
  const sums = new Float64Array(series);

  function values() {
    const all: Array<{ metricName: string; labels: Record<string, string | number>; value: number }> = [];
    for (let at = 0; at < series; at++) {
      const labels = {
        kind: REQUEST_KINDS[Math.floor(at / CLASSES.length)] ?? '',
        status: CLASSES[at % CLASSES.length] ?? '',
      };
      const cells = counts.subarray(at * CELLS, (at + 1) * CELLS);
      let total = 0;
      const buckets = [...cells].map((value, bucket) => {
        total += value;
        return {
          metricName: `${NAME}_bucket`,
          labels: { le: BUCKETS[bucket] ?? '+Inf', ...labels },
          value: total,
        };
      });
      if (total === 0) continue;
      all.push(...buckets);
      all.push({ metricName: `${NAME}_sum`, labels, value: sums[at] ?? 0 });
      all.push({ metricName: `${NAME}_count`, labels, value: total });
    }
    return all;
  }

  return {
    count(kind, status, milliseconds) {
      const at = kind * CLASSES.length + ((status / 100) | 0) - 1;
      const seconds = milliseconds / 1000;
      let bucket = 0;
      while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket++;
      (counts[at * CELLS + bucket] as number)++;
      (sums[at] as number) += seconds;
    },
    register(registry) {
      const described = { name: NAME, help: HELP, type: 'histogram', aggregator: 'sum' };
      // prom-client's own histogram can only be filled one request at a time. A registry needs only this of a metric.
      const metric = {
        ...described,
        get: async () => ({ ...described, values: values() }),
        reset: () => undefined,
      };
      registry.registerMetric(metric as unknown as Metric);
    },
  };
}
