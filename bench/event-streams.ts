import { call, publish, register } from '../test/support/fault-client.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import type { Bench } from './run.ts';
import { residentMiB, startCpuMeter } from './support/process.ts';
import { percentile, table } from './support/table.ts';

/** Five thousand tabs that follow pages: what they cost in memory, and how long a change takes to reach them. */

const PAGES = 50;
const STREAMS = 5_000;
const WRITES = 200;
const WRITE_EVERY_MS = 20;

export default async function eventStreams(bench: Bench): Promise<string> {
  const server = await startServer();
  bench.atEnd(server.stop);
  const { token, pages } = await publishPages(server);
  await Bun.sleep(3_000);
  const before = residentMiB(server.pid);

  const received: Array<(n: number) => void> = [];
  for (let opened = 0; opened < STREAMS; opened += 100) {
    const opening = Array.from({ length: 100 }, (_, index) =>
      follow(server, pages[(opened + index) % PAGES] ?? 0, (n) => received[n]?.(n)),
    );
    for (const close of await Promise.all(opening)) bench.atEnd(async () => close());
  }
  await Bun.sleep(3_000);
  const open = residentMiB(server.pid);

  const delays: number[] = [];
  const cpuSince = startCpuMeter([server.pid]);
  const arrivals: Array<Promise<void>> = [];
  for (let n = 0; n < WRITES; n++) {
    const sentAt = performance.now();
    arrivals.push(
      new Promise((resolve) => {
        let waiting = STREAMS / PAGES;
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
      throw new Error(`only ${delays.length} of ${(WRITES * STREAMS) / PAGES} events arrived`);
    }),
  ]);
  const cpu = (cpuSince() / delays.length) * 1e6;
  return [
    `${STREAMS.toLocaleString('en')} streams on ${PAGES} pages, ${WRITES} records created, ${delays.length.toLocaleString('en')} events delivered, all of them`,
    '',
    table(
      ['memory before', 'with the streams', 'per stream', 'sent to received, p50', 'p99', 'CPU per event'],
      [
        [
          `${before.all.toFixed(0)} MB`,
          `${open.all.toFixed(0)} MB`,
          `${(((open.all - before.all) * 1024) / STREAMS).toFixed(1)} KB`,
          `${percentile(delays, 50).toFixed(1)} ms`,
          `${percentile(delays, 99).toFixed(1)} ms`,
          `${cpu.toFixed(0)} us`,
        ],
      ],
    ),
  ].join('\n');
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
