import { WorkerEntrypoint } from 'cloudflare:workers';
import { planStoring } from './lifetime.ts';
import { parsePayload, readStream } from './payload.ts';
import { respondMatch, respondMiss } from './respond.ts';
import { Store } from './store.ts';

/**
 * What is behind `caches.default` and `caches.open(name)`. The runtime sends GET to match, PUT with the text of a response
 * to store it, and PURGE to delete one. It runs in the cell of the function, so its memory counts for that function, and
 * no other function can read it. It is empty when a cell starts.
 */

let store: Store | undefined;

/** The name that was given to `caches.open`. */
const NAMESPACE = 'cf-cache-namespace';

export class FunctionCache extends WorkerEntrypoint<unknown, { bytes: number }> {
  override async fetch(request: Request): Promise<Response> {
    store ??= new Store(this.ctx.props.bytes);
    const key = toKey(request);
    const now = Date.now();
    switch (request.method) {
      case 'GET': {
        const entry = store.get(key, now);
        return entry ? respondMatch(entry, request.headers, now) : respondMiss();
      }
      case 'PUT':
        return new Response(null, { status: (await put(store, key, request)) ? 204 : 413 });
      case 'PURGE':
        return new Response(null, { status: store.delete(key, now) ? 200 : 404 });
      default:
        return new Response(null, { status: 405 });
    }
  }
}

function toKey({ url, headers, cf }: Request): string {
  const { cacheKey } = (cf ?? {}) as { cacheKey?: unknown };
  // The name is encoded, so it has no space.
  return `${headers.get(NAMESPACE) ?? ''} ${typeof cacheKey === 'string' ? cacheKey : url}`;
}

/** Returns false if the response is too large, or says that it must not be stored. */
async function put(into: Store, key: string, request: Request): Promise<boolean> {
  if (!request.body) return false;
  const received = into.receive();
  try {
    const bytes = await readStream(request.body, received.reserve);
    const payload = bytes && parsePayload(bytes);
    const now = Date.now();
    const storing = payload && planStoring(request.headers, payload, now);
    if (!payload || !storing) return false;
    for (const name of storing.withoutHeaders) payload.headers.delete(name);
    return into.put(key, { ...payload, storedAt: now, expiresAt: now + storing.lifetimeMs });
  } finally {
    received.release();
  }
}
