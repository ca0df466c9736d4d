import { DATABASE_HEADERS, formatMoved, HOME_PATH, RELOCATING, shardBinding } from '../../protocol.ts';
import { CodedError, outcomeUnknown, relocating } from '../failures.ts';
import type { Forward, ForwardedBody } from './forward.ts';

interface Sender {
  fetch(target: Request): Promise<Response>;
}

/** What a host knows of its node: the server, and the hosts of other shards. */
export interface Neighbours {
  /** The number of this shard. */
  SHARD: string;
  /** The key of this host. */
  KEY: string;
  /** The keys of all hosts of this node, in order. */
  KEYS: string;
  SERVER: Sender;
  [binding: `SHARD_${number}`]: Sender;
}

/** A host that starts with its node, or again, is waited for. */
const WAIT_MS = 10_000;
const RETRY_MS = 250;
/** More than a database can move while one request is on its way. */
const MAX_HOPS = 6;
const HOME_TRIES = 3;

export function forwardTo(env: Neighbours, request: Request): Forward {
  return async (to, makeBody) => {
    const hops = Number(request.headers.get(DATABASE_HEADERS.hops) ?? 0) + 1;
    const neighbour = env[shardBinding(to.shard)];
    if (hops > MAX_HOPS || !neighbour) return relocating();
    const headers = new Headers(request.headers);
    headers.set(DATABASE_HEADERS.forwarded, env.KEYS.split(' ')[to.shard] ?? '');
    headers.set(DATABASE_HEADERS.hops, String(hops));
    if (to.number > 0) headers.set(DATABASE_HEADERS.moved, formatMoved(to));
    else headers.delete(DATABASE_HEADERS.moved);
    for (const startedAt = Date.now(); ; ) {
      const body = makeBody();
      try {
        const init = { method: request.method, headers, body: withLength(body) };
        const onward = new Request(request.url, init);
        const response = await neighbour.fetch(onward);
        body.onResponse?.();
        return response;
      } catch {
        if (body.isSent()) return outcomeUnknown();
        if (Date.now() > startedAt + WAIT_MS) return relocating();
        await pause(RETRY_MS);
      }
    }
  };
}

/** Over a socket, only such a stream is sent with its length. */
function withLength({ stream, length }: ForwardedBody): ReadableStream<Uint8Array> | null {
  if (stream === null || length === undefined) return stream;
  const { readable, writable } = new FixedLengthStream(length);
  void stream.pipeTo(writable).catch(() => undefined);
  return readable;
}

/** Asks the server of this node for the shard that an owner's databases belong to. */
export async function findHome({ SERVER, KEY }: Neighbours, owner: string): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      const init = {
        headers: { [DATABASE_HEADERS.key]: KEY },
        body: JSON.stringify({ owner: Number(owner) }),
      };
      const request = new Request(`http://server${HOME_PATH}`, { method: 'POST', ...init });
      const response = await SERVER.fetch(request);
      if (response.ok) return ((await response.json()) as { shard: number }).shard;
    } catch {
      // The server is busy, or cannot reach the bucket. It is asked again.
    }
    if (tries === HOME_TRIES) throw new CodedError(RELOCATING, 'UNAVAILABLE');
    await pause(RETRY_MS);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
