import { startCpuMeter } from './process.ts';
import { median } from './table.ts';
import { type Load, type LoadOptions, runLoad } from './wrk.ts';

/** One of those that are compared. */
export interface Peer {
  name: string;
  url: string;
  host: string;
  headers?: string[];
  /** The processes that do its work; asked for after the warm-up, which may start some. */
  pids(): number[];
}

type Sample = Load & { cpuSeconds: number };

/** Medians over the rounds of one peer. */
export interface Figures {
  name: string;
  requestsPerSecond: number;
  /** How far the best and the worst round are apart. */
  spread: number;
  p50Ms: number;
  p99Ms: number;
  /** Processor time per request. */
  cpuMicroseconds: number;
  /** How many cores it kept busy. */
  busy: number;
}

/** Rounds of all peers one after the other, so that what disturbs the machine disturbs them alike. */
export async function measureInTurns(
  peers: Peer[],
  options: Omit<LoadOptions, 'url' | 'host' | 'headers'> & { rounds: number; warmUpSeconds: number },
): Promise<Figures[]> {
  const { rounds, warmUpSeconds, ...load } = options;
  const measureOnce = async ({ url, host, headers, pids }: Peer): Promise<Sample> => {
    const cpuSince = startCpuMeter(pids());
    const measured = await runLoad({ ...load, url, host, headers });
    return { ...measured, cpuSeconds: cpuSince() };
  };
  for (const { url, host, headers } of peers)
    await runLoad({ ...load, url, host, headers, seconds: warmUpSeconds });
  const samples = new Map<Peer, Sample[]>(peers.map((peer) => [peer, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const [peer, collected] of samples) {
      const sample = await measureOnce(peer);
      collected.push(sample);
      console.error(`round ${round}: ${peer.name}: ${Math.round(sample.requestsPerSecond)} requests/s`);
    }
  }
  return [...samples].map(([peer, collected]) => toFigures(peer.name, collected));
}

function toFigures(name: string, samples: Sample[]): Figures {
  const rates = samples.map((sample) => sample.requestsPerSecond);
  return {
    name,
    requestsPerSecond: median(rates),
    spread: Math.max(...rates) / Math.min(...rates) - 1,
    p50Ms: median(samples.map((sample) => sample.p50Ms)),
    p99Ms: median(samples.map((sample) => sample.p99Ms)),
    cpuMicroseconds: median(samples.map((sample) => (sample.cpuSeconds / sample.requests) * 1e6)),
    busy: median(samples.map((sample) => sample.cpuSeconds / (sample.requests / sample.requestsPerSecond))),
  };
}

export function rate(value: number): string {
  return Math.round(value).toLocaleString('en');
}

export function ratio(value: number, reference = Number.NaN): string {
  return (value / reference).toFixed(2);
}

export function percent(value: number): string {
  return `${Math.round(value * 100)}%`;
}
