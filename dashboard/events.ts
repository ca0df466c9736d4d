import { EventParser, type ServerEvent } from '../contract/rules/event-stream.ts';
import { ApiError } from './api.ts';

/** Follows streams of server-sent events. */

interface StreamEvent {
  /** `message` unless the service names it. */
  name: string;
  data: unknown;
}

interface Following {
  /** Called for each connection, so that the next one can start where the last one ended. */
  connect: (signal: AbortSignal) => Promise<Response>;
  signal: AbortSignal;
  onOpen: () => void;
  /** Receives the events of one chunk. */
  onEvents: (events: StreamEvent[]) => void;
  onLost: () => void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** The service sends something at least every fifteen seconds. */
const SILENCE_MS = 45_000;

/** Follows a stream and reconnects until `signal` aborts. Throws if the service refuses the request. */
export async function followEvents({ connect, signal, onOpen, onEvents, onLost }: Following): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      await readConnection(connect, signal, onOpen, (events) => {
        waitMs = FIRST_WAIT_MS;
        if (events.length > 0) onEvents(events);
      });
    } catch (error) {
      if (signal.aborted) return;
      if (isFinal(error)) throw error;
      onLost();
    }
    // The service closes streams from time to time, which is not a failure.
    await pause(waitMs, signal);
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
  }
}

/** Trying again helps if the service is unavailable or busy, and after a new login. */
const isFinal = (error: unknown) =>
  error instanceof ApiError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![401, 429].includes(error.status);

/** Reads one connection until it ends. */
async function readConnection(
  connect: Following['connect'],
  signal: AbortSignal,
  onOpen: () => void,
  onHeard: (events: StreamEvent[]) => void,
): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const response = await connect(AbortSignal.any([signal, silence.signal]));
    onOpen();
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const events: StreamEvent[] = [];
    const parser = new EventParser((event) => events.push(...withData(event)));
    while (reader) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      parser.push(value);
      onHeard(events.splice(0));
    }
  } finally {
    clearTimeout(timer);
  }
}

const withData = ({ name, data }: ServerEvent): StreamEvent[] =>
  data === undefined ? [] : [{ name, data: JSON.parse(data) as unknown }];

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
