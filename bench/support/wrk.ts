import { join } from 'node:path';

export interface Load {
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export interface LoadOptions {
  url: string;
  host: string;
  /** Posted as JSON. Without it, requests are GET. */
  body?: string | undefined;
  /** Further headers, as `Name: value`. */
  headers?: string[] | undefined;
  connections: number;
  seconds: number;
  /** The cores for the load, as a list for taskset. */
  cores: string;
}

const POST = join(import.meta.dir, 'post.lua');

/** Sends requests to one URL as fast as they are answered, over persistent connections. */
export async function runLoad(options: LoadOptions): Promise<Load> {
  const wrk = Bun.spawn(
    [
      ...['taskset', '--cpu-list', options.cores, 'wrk', '--latency', '--threads', '1'],
      ...['--connections', String(options.connections), '--duration', `${options.seconds}s`],
      // On a busy machine a response may take long. That is not an error, and shows in the latencies.
      ...['--timeout', '60s'],
      ...(options.body === undefined ? [] : ['--script', POST]),
      // With a capital letter, or wrk sends its own header too.
      ...['-H', `Host: ${options.host}`, ...(options.headers ?? []).flatMap((header) => ['-H', header])],
      options.url,
      ...(options.body === undefined ? [] : ['--', options.body]),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const output = await new Response(wrk.stdout).text();
  if ((await wrk.exited) !== 0 || /Socket errors|Non-2xx/.test(output)) {
    throw new Error(`not every request to ${options.url} was answered:\n${output}`);
  }
  return readReport(output);
}

function readReport(output: string): Load {
  const find = (pattern: RegExp) => {
    const found = pattern.exec(output)?.[1];
    if (found === undefined) throw new Error(`wrk printed something unexpected:\n${output}`);
    return found;
  };
  return {
    requests: Number(find(/(\d+) requests in/)),
    requestsPerSecond: Number(find(/Requests\/sec:\s+([\d.]+)/)),
    p50Ms: toMs(find(/^\s+50%\s+(\S+)/m)),
    p99Ms: toMs(find(/^\s+99%\s+(\S+)/m)),
  };
}

const UNITS_MS: Record<string, number> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

function toMs(text: string): number {
  const [, amount, unit] = /^([\d.]+)(\D+)$/.exec(text) ?? [];
  return Number(amount) * (UNITS_MS[unit ?? ''] ?? Number.NaN);
}
