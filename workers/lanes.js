// Stands at the entrance of the egress. Each owner's cells come by a lane of their own, a socket that only they see, so
// that connections are counted by owner whatever is said over them. Bytes are passed on as they are.
const open = new Map();
const toldAt = new Map();
const dueAt = new Map();
let all = 0;

// The longest answer of a function takes 5 minutes and a half; nothing it opened need live longer.
const MAX_TUNNEL_MS = 6 * 60_000;
const TELL_EVERY_MS = 1_000;
// Where one side has closed, the other gets this long to finish.
const HALF_OPEN_MS = 30_000;
const REFUSED_MS = 2_000;
// A lane opens so many at once, and then one in so many milliseconds: opening is what costs most,
// and all lanes share a processor.
const BURST = 100;
const PACE_MS = 4;

export default {
  async connect(socket, env, ctx) {
    const { lane } = ctx.props;
    const count = open.get(lane) ?? 0;
    const whose = count >= Number(env.PER_OWNER) ? 'owner' : all >= Number(env.TOTAL) ? 'all' : undefined;
    if (whose) {
      await turn(lane);
      return refuse(socket, lane, whose, whose === 'owner' ? env.PER_OWNER : env.TOTAL);
    }
    open.set(lane, count + 1);
    all++;
    try {
      await turn(lane);
      await relay(socket, env.INNER.connect('egress:80', { allowHalfOpen: true }));
    } finally {
      all--;
      if (open.get(lane) === 1) open.delete(lane);
      else open.set(lane, open.get(lane) - 1);
    }
  },
};

/** Waits until it is this lane's turn again. */
async function turn(lane) {
  const now = Date.now();
  const due = Math.max(dueAt.get(lane) ?? 0, now - BURST * PACE_MS);
  dueAt.set(lane, due + PACE_MS);
  if (due > now) await scheduler.wait(due - now);
}

async function relay(socket, inner) {
  const reader = socket.readable.getReader();
  const { value: first, done } = await reader.read();
  reader.releaseLock();
  const writer = inner.writable.getWriter();
  if (first) await writer.write(first);
  writer.releaseLock();
  const ending = new AbortController();
  const { signal } = ending;
  const timers = [];
  const endAfter = (milliseconds) => timers.push(setTimeout(() => ending.abort(), milliseconds));
  const ways = [
    done ? inner.close() : socket.readable.pipeTo(inner.writable, { signal }),
    inner.readable.pipeTo(socket.writable, { signal }),
  ];
  // A connection for requests is used again and again, and closed by those who use it, for both directions.
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

function isTunnel(first) {
  return first !== undefined && new TextDecoder().decode(first.subarray(0, 8)) === 'CONNECT ';
}

/** Answers like a proxy that is busy: a request gets the text, and a socket does not open. */
async function refuse(socket, lane, whose, limit) {
  const now = Date.now();
  if (now - (toldAt.get(lane) ?? 0) >= TELL_EVERY_MS) {
    toldAt.set(lane, now);
    console.log(JSON.stringify({ lane, whose, limit: Number(limit) }));
  }
  const reason =
    whose === 'owner'
      ? `the functions of this owner have ${limit} connections open, which is the limit for one owner`
      : `functions have ${limit} connections open, which is the limit`;
  const body = `Quire refused a connection: ${reason}. Close some of them, or try again later.\n`;
  const head = `HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\nretry-after: 5\r\nx-quire-unreached: 1\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
  const reader = socket.readable.getReader();
  await reader.read();
  const writer = socket.writable.getWriter();
  await writer.write(new TextEncoder().encode(head + body));
  await writer.close();
  // What is closed with something unread takes the answer with it.
  const timer = setTimeout(() => reader.cancel().catch(() => undefined), REFUSED_MS);
  while (!(await reader.read()).done);
  clearTimeout(timer);
}
