import { ApiError, request, toApiError } from './api.ts';

/** Streams of server-sent events. A browser's own EventSource could not send the token. */

interface StreamEvent {
  /** `message` unless the service says otherwise. */
  name: string;
  data: unknown;
}

interface Following {
  /** Asked for every connection, so that the next one can begin where the last one ended. */
  path: () => string;
  signal: AbortSignal;
  onOpen: () => void;
  /** All that came at once. */
  onEvents: (events: StreamEvent[]) => void;
  onLost: () => void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** The service says something every fifteen seconds, even if it is nothing. */
const SILENCE_MS = 45_000;

/** Follows a stream over as many connections as it takes, until told to stop; throws when the service refuses it. */
export async function followEvents({ path, signal, onOpen, onEvents, onLost }: Following): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      await readConnection(path(), signal, onOpen, (events) => {
        waitMs = FIRST_WAIT_MS;
        if (events.length > 0) onEvents(events);
      });
    } catch (error) {
      if (signal.aborted) return;
      if (isFinal(error)) throw error;
      onLost();
    }
    // The service ends a stream now and then by itself, which is no reason to alarm anybody.
    await pause(waitMs, signal);
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
  }
}

/** Trying again helps when the service is gone or busy, and after somebody has logged in again. */
const isFinal = (error: unknown) =>
  error instanceof ApiError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![401, 429].includes(error.status);

/** Reads one connection to its end. */
async function readConnection(
  path: string,
  signal: AbortSignal,
  onOpen: () => void,
  onHeard: (events: StreamEvent[]) => void,
): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const response = await request('GET', path, { signal: AbortSignal.any([signal, silence.signal]) });
    if (!response.ok) throw await toApiError(response);
    onOpen();
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    while (reader) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      onHeard(blocks.flatMap(parseEvent));
    }
  } finally {
    clearTimeout(timer);
  }
}

/** None for what only keeps the connection open. */
function parseEvent(block: string): StreamEvent[] {
  const lines = block.split('\n');
  const read = (field: string) =>
    lines.find((line) => line.startsWith(`${field}: `))?.slice(field.length + 2);
  const data = read('data');
  return data === undefined ? [] : [{ name: read('event') ?? 'message', data: JSON.parse(data) as unknown }];
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
