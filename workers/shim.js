// Stands between workerd and an owner's module, in the same isolate: it tells a thrown exception from an answer of
// status 500, and lets the server ask what the module exports and whether its event loop is free.
import { WorkerEntrypoint } from 'cloudflare:workers';
import * as owner from 'function.js';

const handler = owner.default;
const isClass = typeof handler === 'function' && handler.prototype instanceof WorkerEntrypoint;
const { error } = console;
// What the hosts of a cluster say of a database that cannot be had right now.
const MOVING = /The database (is moving to another machine|cannot grow right now)\b/;
// And when nobody knows whether it has done what it was asked: it ended meanwhile, with its host or its machine.
const UNKNOWN = /It may or may not have done this|^D1_ERROR: Network connection lost/;
// What V8 says of a buffer that there is no memory for.
const NO_MEMORY = /allocation failed|could not allocate memory/;
// Thrown by the client of `env.DB` when its host cannot be reached, or breaks off; other errors come with their own words.
const BROKEN_OFF = /^(internal error; reference = |Network connection lost)/;
const CLIENT = /\(cloudflare-internal:d1-api:/;

export default {
  async fetch(request, env, ctx) {
    try {
      const target = isClass ? new handler(ctx, env) : handler;
      const response = await target.fetch(request, env, ctx);
      // What workerd refuses to send is refused here, where it can still be told from an answer.
      if (response instanceof Response) {
        if (response.webSocket) throw new TypeError('a function cannot answer with a WebSocket');
        if (response.bodyUsed) throw new TypeError('the body of the Response has been read already');
        return response;
      }
      throw new TypeError(`fetch returned ${response === null ? 'null' : typeof response}, not a Response`);
    } catch (thrown) {
      error(`quire-exception: ${thrown?.stack ?? String(thrown)}`);
      return new Response(null, { status: 500, headers: { 'x-quire-threw': kindOf(thrown) } });
    }
  },
};

function kindOf(thrown) {
  if (isUnknown(thrown)) return 'unknown';
  if (MOVING.test(thrown?.message)) return 'moving';
  return thrown instanceof RangeError && NO_MEMORY.test(thrown.message) ? 'memory' : '1';
}

function isUnknown(thrown) {
  const { message, stack } = thrown ?? {};
  return UNKNOWN.test(message) || (BROKEN_OFF.test(message) && CLIENT.test(stack));
}

export class Probe extends WorkerEntrypoint {
  fetch(request) {
    if (request.url.endsWith('/collect')) return collectGarbage();
    const fetch = isClass ? handler.prototype.fetch : handler?.fetch;
    return Response.json({
      hasDefault: handler !== undefined && handler !== null,
      hasFetch: typeof fetch === 'function',
    });
  }
}

// V8 collects all the garbage there is before it refuses a buffer, and gives free pages back to the machine. This one
// it always refuses: the process has a limit on its data.
function collectGarbage() {
  try {
    new ArrayBuffer(2 ** 40);
  } catch {
    // As it should.
  }
  return new Response(null);
}
