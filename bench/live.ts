import { publish, register } from '../test/support/http/client.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { atMost, type Figure, type Report, toRows } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { residentMiB, startCpuMeter } from './support/process.ts';
import { percentile } from './support/table.ts';

/** Five thousand visitors in one live channel: how long a message takes to reach all of them, and what they cost. */

const SEND_EVERY_MS = 200;
/** Each visitor comes from an address of its own, as behind a load balancer. */
const SETTINGS = { QUIRE_TRUSTED_PROXIES: '127.0.0.0/8' };

const P50 = 'Message sent to message received, p50 in ms';
const P99 = 'Message sent to message received, p99 in ms';
const MEMORY = 'Memory of the server in MB';
const COST = 'Cost of a visitor and of a delivery';

export const figures: Figure[] = [
  { name: P50, digits: 1, rows: toRows(['Quire']) },
  { name: P99, digits: 1, rows: toRows(['Quire'], atMost(100)) },
  { name: MEMORY, digits: 0, rows: { 'without visitors': undefined, 'with all visitors': atMost(400) } },
  { name: COST, digits: 1, rows: toRows(['KB of memory per visitor', 'µs of CPU time per delivery']) },
];

export default async function live(bench: Bench): Promise<Report> {
  const [visitors, messages] = [bench.pick(5_000, 500), bench.pick(50, 20)];
  const server = await startServer({ settings: SETTINGS });
  bench.atEnd(server.stop);
  const { token } = await register(server, 'bench');
  const { id } = await publish(server, token, { name: 'Live' });
  await Bun.sleep(bench.pick(3_000, 1_000));
  const before = residentMiB(server.pid);

  let receive: (n: number) => void = () => undefined;
  const tabs: Tab[] = [];
  for (let opened = 0; opened < visitors; opened += 50) {
    const opening = Array.from({ length: 50 }, (_, index) =>
      enter(server, id, opened + index, (n) => receive(n)),
    );
    tabs.push(...(await Promise.all(opening)));
  }
  for (const { close } of tabs) bench.atEnd(async () => close());
  // Until everybody has heard who is there.
  await Bun.sleep(bench.pick(8_000, 2_000));
  const open = residentMiB(server.pid);

  const delays: number[] = [];
  const cpuSince = startCpuMeter([server.pid]);
  for (let n = 0; n < messages; n++) {
    const sentAt = performance.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    let waiting = visitors;
    receive = (received) => {
      if (received !== n) return;
      delays.push(performance.now() - sentAt);
      if (--waiting === 0) resolve();
    };
    tabs[n % visitors]?.say(n);
    await Promise.race([
      promise,
      Bun.sleep(30_000).then(() => {
        throw new Error(`message ${n} has not reached ${waiting} of ${visitors} visitors`);
      }),
    ]);
    await Bun.sleep(SEND_EVERY_MS);
  }
  const after = residentMiB(server.pid);
  return {
    note: `${visitors.toLocaleString('en')} visitors in one channel, ${messages} messages of different visitors; each reached all of them.`,
    values: {
      [P50]: { Quire: percentile(delays, 50) },
      [P99]: { Quire: percentile(delays, 99) },
      [MEMORY]: { 'without visitors': before.all, 'with all visitors': Math.max(open.all, after.all) },
      [COST]: {
        'KB of memory per visitor': ((open.all - before.all) * 1024) / visitors,
        'µs of CPU time per delivery': (cpuSince() / delays.length) * 1e6,
      },
    },
  };
}

interface Tab {
  say(n: number): void;
  close(): void;
}

/** A visitor over a plain socket, which is cheaper than five thousand WebSocket clients in one process. */
function enter(
  server: TestServer,
  pageId: number,
  visitor: number,
  receive: (n: number) => void,
): Promise<Tab> {
  const address = `10.${visitor >> 16}.${(visitor >> 8) & 255}.${visitor & 255}`;
  return new Promise((resolve, reject) => {
    let isOpen = false;
    void Bun.connect({
      hostname: '127.0.0.1',
      port: server.port,
      socket: {
        open(socket) {
          const headers = [
            `GET /api/pages/${pageId}/live HTTP/1.1`,
            `host: localhost:${server.port}`,
            `x-forwarded-for: ${address}`,
            'connection: Upgrade',
            'upgrade: websocket',
            'sec-websocket-version: 13',
            'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
          ];
          socket.write(`${headers.join('\r\n')}\r\n\r\n`);
        },
        data(socket, chunk) {
          const n = isOpen ? numberAtEnd(chunk) : undefined;
          if (n !== undefined) {
            receive(n);
            return;
          }
          const text = chunk.toString('latin1');
          if (text.includes('"type":"welcome"')) {
            socket.write(frame({ type: 'join', ref: 1, channel: 'room' }));
          }
          if (!isOpen && text.includes('"type":"joined"')) {
            isOpen = true;
            const say = (n: number) =>
              void socket.write(frame({ type: 'send', ref: 2, channel: 'room', message: { n } }));
            resolve({ say, close: () => socket.end() });
          }
          for (const [, n] of text.matchAll(/"message":\{"n":(\d+)\}/g)) receive(Number(n));
        },
        error: (_, error) => reject(error),
        connectError: (_, error) => reject(error),
        close: () => reject(new Error('the connection was closed')),
      },
    });
  });
}

/** A short text in a WebSocket frame of a client, with a mask of zeros. */
function frame(message: object): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]);
}

/**
 * The number at the end of `…"message":{"n":12}}`. The visitors share the machine with the server, so they look at a few
 * bytes only. Undefined if the chunk ends otherwise.
 */
function numberAtEnd(chunk: Buffer): number | undefined {
  const [brace, colon] = [0x7d, 0x3a];
  let at = chunk.length - 1;
  if (chunk[at--] !== brace || chunk[at--] !== brace) return undefined;
  let [n, unit] = [0, 1];
  for (; at >= 0 && (chunk[at] as number) >= 0x30 && (chunk[at] as number) <= 0x39; at--, unit *= 10)
    n += ((chunk[at] as number) - 0x30) * unit;
  const isMessage = unit > 1 && chunk[at] === colon && chunk[at - 2] === 'n'.charCodeAt(0);
  // Several lines can come together.
  return isMessage && !chunk.includes('\n') ? n : undefined;
}
