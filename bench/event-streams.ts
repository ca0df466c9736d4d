import { call, publish, register } from '../test/support/http/client.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { atMost, type Figure, type Report, toRows } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { residentMiB, startCpuMeter } from './support/process.ts';
import { percentile } from './support/table.ts';

/** Five thousand tabs that follow pages: what they cost in memory, and how long a change takes to reach them. */

const PAGES = 50;
const WRITE_EVERY_MS = 20;

const P50 = 'Request sent to event received, p50 in ms';
const P99 = 'Request sent to event received, p99 in ms';
const MEMORY = 'Memory of the server in MB';
const COST = 'Cost of a stream and of an event';

export const figures: Figure[] = [
  { name: P50, digits: 1, rows: toRows(['Quire']) },
  { name: P99, digits: 1, rows: toRows(['Quire'], atMost(50)) },
  { name: MEMORY, digits: 0, rows: { 'without streams': undefined, 'with all streams': atMost(300) } },
  { name: COST, digits: 1, rows: toRows(['KB of memory per stream', 'µs of CPU time per event']) },
];

export default async function eventStreams(bench: Bench): Promise<Report> {
  const [streams, writes] = [bench.pick(5_000, 500), bench.pick(200, 50)];
  const server = await startServer();
  bench.atEnd(server.stop);
  const { token, pages } = await publishPages(server);
  await Bun.sleep(bench.pick(3_000, 1_000));
  const before = residentMiB(server.pid);

  const received: Array<(n: number) => void> = [];
  for (let opened = 0; opened < streams; opened += 100) {
    const opening = Array.from({ length: 100 }, (_, index) =>
      follow(server, pages[(opened + index) % PAGES] ?? 0, (n) => received[n]?.(n)),
    );
    for (const close of await Promise.all(opening)) bench.atEnd(async () => close());
  }
  await Bun.sleep(bench.pick(3_000, 1_000));
  const open = residentMiB(server.pid);

  const delays: number[] = [];
  const cpuSince = startCpuMeter([server.pid]);
  const arrivals: Array<Promise<void>> = [];
  for (let n = 0; n < writes; n++) {
    const sentAt = performance.now();
    arrivals.push(
      new Promise((resolve) => {
        let waiting = streams / PAGES;
        received[n] = () => {
          delays.push(performance.now() - sentAt);
          if (--waiting === 0) resolve();
        };
      }),
    );
    const body = { data: { n } };
    void call(server, 'POST', `/api/pages/${pages[n % PAGES]}/social-data/x`, { token, body });
    await Bun.sleep(WRITE_EVERY_MS);
  }
  await Promise.race([
    Promise.all(arrivals),
    Bun.sleep(30_000).then(() => {
      throw new Error(`only ${delays.length} of ${(writes * streams) / PAGES} events arrived`);
    }),
  ]);
  const cpu = (cpuSince() / delays.length) * 1e6;
  return {
    note: `${streams.toLocaleString('en')} streams on ${PAGES} pages, ${writes} records created; all ${delays.length.toLocaleString('en')} events arrived.`,
    values: {
      [P50]: { Quire: percentile(delays, 50) },
      [P99]: { Quire: percentile(delays, 99) },
      [MEMORY]: { 'without streams': before.all, 'with all streams': open.all },
      [COST]: {
        'KB of memory per stream': ((open.all - before.all) * 1024) / streams,
        'µs of CPU time per event': cpu,
      },
    },
  };
}

async function publishPages(server: TestServer): Promise<{ token: string; pages: number[] }> {
  const { token } = await register(server, 'bench');
  const pages: number[] = [];
  for (let n = 0; n < PAGES; n++) {
    const { id } = await publish(server, token, { name: `Page ${n}`, storage_mode: 'social_app' });
    pages.push(id);
  }
  return { token, pages };
}

/** Follows a page over a plain socket, which is cheaper than five thousand fetches; returns how to stop. */
function follow(server: TestServer, pageId: number, receive: (n: number) => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    let rest = '';
    let isOpen = false;
    void Bun.connect({
      hostname: '127.0.0.1',
      port: server.port,
      socket: {
        open(socket) {
          socket.write(
            `GET /api/pages/${pageId}/events?collections=x HTTP/1.1\r\nhost: localhost:${server.port}\r\n\r\n`,
          );
        },
        data(socket, chunk) {
          const blocks = (rest + chunk.toString()).split('\n\n');
          rest = blocks.pop() ?? '';
          for (const block of blocks) {
            const created = /"data":\{"n":(\d+)\}/.exec(block);
            if (created) receive(Number(created[1]));
            if (!isOpen && block.includes('event: open')) {
              isOpen = true;
              resolve(() => socket.end());
            }
          }
        },
        error: (_, error) => reject(error),
        connectError: (_, error) => reject(error),
      },
    });
  });
}
