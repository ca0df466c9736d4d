/**
 * `env.LIVE` of a function: sends messages to the visitors of its owner's pages. It runs in the owner's isolate, but owner
 * code cannot reach its binding to the server.
 */
import { LIVE_PUBLICATIONS } from '../protocol.ts';

interface Inner {
  server: Fetcher;
}

interface ErrorBody {
  error?: string;
  code?: string;
}

// Taken before owner code can replace them.
const { now } = Date;
const { stringify } = JSON;

export default function makeLive({ server }: Inner): object {
  const waitMs = createPace();

  async function publish(pageId: unknown, channel: unknown, message: unknown): Promise<void> {
    const pauseMs = waitMs();
    // The server counts too. Refused here, a function that publishes in a loop costs the server nothing.
    if (pauseMs > 0) {
      const error = `Your functions can publish ${LIVE_PUBLICATIONS.perSecond} messages a second. Publish fewer, or several in one.`;
      throw failure({ error, code: 'RATE_LIMITED' }, Math.ceil(pauseMs / 1000));
    }
    const body = stringify({ pageId, channel, message });
    if (body.length > LIVE_PUBLICATIONS.maxBytes)
      throw failure({ error: 'A message can have 4 KB as JSON.', code: 'PAYLOAD_TOO_LARGE' }, undefined);
    const response = await server.fetch('http://live/publish', { method: 'POST', body });
    if (response.ok) return;
    const refusal = (await response.json().catch(() => ({}))) as ErrorBody;
    throw failure(refusal, Number(response.headers.get('retry-after')) || undefined);
  }

  return Object.freeze({ publish });
}

/** Returns how long the next message has to wait. The clock of a function stands still while it computes. */
function createPace(): () => number {
  const { perSecond, atOnce } = LIVE_PUBLICATIONS;
  let left: number = atOnce;
  let at = now();
  return () => {
    const time = now();
    left = left + ((time - at) / 1000) * perSecond;
    if (left > atOnce) left = atOnce;
    at = time;
    if (left < 1) return ((1 - left) / perSecond) * 1000;
    left -= 1;
    return 0;
  };
}

function failure({ error, code = 'UNAVAILABLE' }: ErrorBody, retryAfter: number | undefined): Error {
  const text = error ?? 'The server did not take the message. Try again in a moment.';
  return Object.assign(new Error(`LIVE.publish: ${text}`), { code, ...(retryAfter && { retryAfter }) });
}
