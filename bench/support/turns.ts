import { type Figure, toValues, type Values } from '../report/figure.ts';
import { startCpuMeter } from './process.ts';
import { median } from './table.ts';
import { type Load, type LoadOptions, runLoad } from './wrk.ts';

/** One of the servers to compare. */
export interface Peer {
  name: string;
  url: string;
  host: string;
  headers?: string[];
  /** Posted as JSON, if it differs from the body for all. */
  body?: string;
  /** The processes that do its work. Called after the warm-up, which may start some. */
  pids(): number[];
}

type Sample = Load & { cpuSeconds: number };

/** Medians over the rounds of one peer. */
export interface Figures {
  name: string;
  requestsPerSecond: number;
  /** The difference between the best and the worst round. */
  spread: number;
  p50Ms: number;
  p99Ms: number;
  /** Processor time per request. */
  cpuMicroseconds: number;
}

/** Runs rounds of all peers in turns, so that other load on the machine affects all of them alike. */
export async function measureInTurns(
  peers: Peer[],
  options: Omit<LoadOptions, 'url' | 'host' | 'headers'> & { rounds: number; warmUpSeconds: number },
): Promise<Figures[]> {
  const { rounds, warmUpSeconds, ...load } = options;
  const loadOn = ({ url, host, headers, body = load.body }: Peer) => ({ ...load, url, host, headers, body });
  const measureOnce = async (peer: Peer): Promise<Sample> => {
    const cpuSince = startCpuMeter(peer.pids());
    const measured = await runLoad(loadOn(peer));
    return { ...measured, cpuSeconds: cpuSince() };
  };
  for (const peer of peers) await runLoad({ ...loadOn(peer), seconds: warmUpSeconds });
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
  };
}

/** The tables of a load on these peers: requests, latency and CPU time. `where` distinguishes several loads. */
export function loadFigures(peers: Figure['rows'], where = '', cpuDigits = 0): Figure[] {
  return [
    { name: `Requests/s${where}`, digits: 0, rows: peers },
    { name: `Latency in ms, p50 / p99${where}`, digits: 1, rows: peers },
    { name: `CPU time per request in µs${where}`, digits: cpuDigits, rows: peers },
  ];
}

/** The values of `loadFigures`. */
export function loadValues(measured: Figures[], where = ''): Values {
  return {
    [`Requests/s${where}`]: toValues(measured, (peer) => peer.requestsPerSecond),
    [`Latency in ms, p50 / p99${where}`]: toValues(measured, (peer) => [peer.p50Ms, peer.p99Ms]),
    [`CPU time per request in µs${where}`]: toValues(measured, (peer) => peer.cpuMicroseconds),
  };
}

/** What was measured for one peer. */
export function requireFigures(measured: Figures[], name: string): Figures {
  const found = measured.find((peer) => peer.name === name);
  if (!found) throw new Error(`${name} was not measured`);
  return found;
}

/** The largest difference between rounds of one peer, which shows how quiet the machine was. */
export function describeSpread(measured: Figures[]): string {
  return `Rounds differ by up to ${Math.round(Math.max(...measured.map(({ spread }) => spread)) * 100)} %.`;
}

export function rate(value: number): string {
  return Math.round(value).toLocaleString('en');
}
