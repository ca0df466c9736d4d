import { EventParser } from '../../contract/rules/event-stream.ts';
import { failure, failureOfCode } from '../api.ts';

type WireEvent = Quire.ChatEvent | { type: 'error'; error: string; message?: string };

/** Yields the events of a chat. Leaving the loop, even while it waits for the next event, cancels the request. */
export function streamChat(
  open: (signal: AbortSignal) => Promise<Response>,
  signal?: AbortSignal,
): AsyncGenerator<Quire.ChatEvent, void, undefined> {
  const leaving = new AbortController();
  const events = read(open, signal ? AbortSignal.any([signal, leaving.signal]) : leaving.signal, leaving);
  const end = events.return.bind(events);
  return Object.assign(events, {
    return: (value: undefined) => {
      // A generator that waits does not notice `return`.
      leaving.abort();
      return end(value);
    },
  });
}

async function* read(
  open: (signal: AbortSignal) => Promise<Response>,
  signal: AbortSignal,
  leaving: AbortController,
): AsyncGenerator<Quire.ChatEvent, void, undefined> {
  try {
    const { body } = await open(signal);
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    const found: WireEvent[] = [];
    const parser = new EventParser(({ data }) => data && found.push(JSON.parse(data) as WireEvent));
    for (;;) {
      const piece = await reader?.read();
      if (!piece || piece.done) break;
      parser.push(piece.value);
      for (const event of found.splice(0)) {
        if (event.type === 'error') {
          const { error: code, message } = event;
          const status = code === 'provider_timeout' ? 504 : 502;
          throw message ? failure(message, { status, code }) : failureOfCode(code, status);
        }
        yield event;
        if (event.type === 'done') return;
      }
    }
  } catch (error) {
    if (signal.aborted || (error as Partial<Quire.Failure>).code) throw error;
    throw interrupted(error);
  } finally {
    leaving.abort();
  }
  throw interrupted();
}

function interrupted(cause?: unknown): Quire.Failure {
  return failure('The connection was lost before the response was complete.', {
    status: 0,
    code: 'UNREACHABLE',
    cause,
  });
}
