/**
 * Runs at the entrance of the egress. The cells of each owner use their own lane, a socket that only they see, so
 * connections are counted per owner, whatever is sent. Bytes pass through unchanged.
 */
import { EGRESS_HEADERS, type EgressEvent } from '../protocol.ts';

interface Environment {
  /** The proxy behind the lanes. */
  INNER: Fetcher;
  PER_OWNER: string;
  TOTAL: string;
}

type EgressRefusal = Extract<EgressEvent, { event: 'connection-refused' }>;

const openByLane = new Map<number, number>();
const printedAt = new Map<number, number>();
const dueAt = new Map<number, number>();
let openTotal = 0;

/** A function's longest response takes five and a half minutes; nothing that it opens needs to live longer. */
const MAX_TUNNEL_MS = 6 * 60_000;
const PRINT_EVERY_MS = 1_000;
/** After one side has closed, the other has this long to finish. */
const HALF_OPEN_MS = 30_000;
const REFUSED_MS = 2_000;
/**
 * A lane opens a burst of connections at once, and then one per pace: opening is the most expensive part, and all lanes
 * share one processor.
 */
const BURST = 100;
const PACE_MS = 4;

export default {
  async connect(socket: Socket, env: Environment, ctx: ExecutionContext<{ lane: number }>): Promise<void> {
    const { lane } = ctx.props;
    const open = openByLane.get(lane) ?? 0;
    const perOwner = Number(env.PER_OWNER);
    const total = Number(env.TOTAL);
    if (open >= perOwner || openTotal >= total) {
      const over = open >= perOwner ? 'owner' : 'total';
      await waitForTurn(lane);
      const limit = over === 'owner' ? perOwner : total;
      return refuse(socket, { event: 'connection-refused', lane, over, limit });
    }
    openByLane.set(lane, open + 1);
    openTotal++;
    try {
      await waitForTurn(lane);
      await relay(socket, env.INNER.connect('egress:80', { allowHalfOpen: true }));
    } finally {
      openTotal--;
      const left = (openByLane.get(lane) ?? 1) - 1;
      if (left === 0) openByLane.delete(lane);
      else openByLane.set(lane, left);
    }
  },
};

async function waitForTurn(lane: number): Promise<void> {
  const now = Date.now();
  const due = Math.max(dueAt.get(lane) ?? 0, now - BURST * PACE_MS);
  dueAt.set(lane, due + PACE_MS);
  if (due > now) await scheduler.wait(due - now);
}

async function relay(socket: Socket, inner: Socket): Promise<void> {
  const reader = socket.readable.getReader();
  const { value: first, done } = await reader.read();
  reader.releaseLock();
  const writer = inner.writable.getWriter();
  if (first) await writer.write(first);
  writer.releaseLock();
  const ending = new AbortController();
  const { signal } = ending;
  const timers: number[] = [];
  const endAfter = (milliseconds: number) => {
    timers.push(setTimeout(() => ending.abort(), milliseconds));
  };
  const ways = [
    done ? inner.close() : socket.readable.pipeTo(inner.writable, { signal }),
    inner.readable.pipeTo(socket.writable, { signal }),
  ];
  // A connection for requests is reused, and its user closes both directions at once.
  if (isTunnel(first)) endAfter(MAX_TUNNEL_MS);
  const halfOpenMs = isTunnel(first) ? HALF_OPEN_MS : 0;
  for (const way of ways)
    way.then(
      () => endAfter(halfOpenMs),
      () => ending.abort(),
    );
  await Promise.allSettled(ways);
  for (const timer of timers) clearTimeout(timer);
}

function isTunnel(first: Uint8Array | undefined): boolean {
  return first !== undefined && new TextDecoder().decode(first.subarray(0, 8)) === 'CONNECT ';
}

/** Responds like a busy proxy: a request gets the text, and a socket does not open. */
async function refuse(socket: Socket, refusal: EgressRefusal): Promise<void> {
  const { lane, over, limit } = refusal;
  const now = Date.now();
  if (now - (printedAt.get(lane) ?? 0) >= PRINT_EVERY_MS) {
    printedAt.set(lane, now);
    console.log(JSON.stringify(refusal));
  }
  const reason =
    over === 'owner'
      ? `the functions of this owner have ${limit} connections open, which is the limit for one owner`
      : `functions have ${limit} connections open, which is the limit`;
  const body = `Quire refused a connection: ${reason}. Close some of them, or try again later.\n`;
  const head = `HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\nretry-after: 5\r\n${EGRESS_HEADERS.neverSent}: 1\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
  const reader = socket.readable.getReader();
  await reader.read();
  const writer = socket.writable.getWriter();
  await writer.write(new TextEncoder().encode(head + body));
  await writer.close();
  // A socket that is closed with unread data loses the response too.
  const timer = setTimeout(() => reader.cancel().catch(() => undefined), REFUSED_MS);
  while (!(await reader.read()).done);
  clearTimeout(timer);
}
