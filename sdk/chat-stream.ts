import { EventParser } from '../contract/rules/event-stream.ts';
import { failure, failureOfWord } from './api.ts';

type WireEvent = Quire.ChatEvent | { type: 'error'; error: string };

/** The events of a chat as they come. Leaving the loop, also while waiting for the next event, ends the request. */
export function streamChat(
  open: (signal: AbortSignal) => Promise<Response>,
  signal?: AbortSignal,
): AsyncGenerator<Quire.ChatEvent, void, undefined> {
  const leaving = new AbortController();
  const events = read(open, signal ? AbortSignal.any([signal, leaving.signal]) : leaving.signal, leaving);
  const end = events.return.bind(events);
  return Object.assign(events, {
    return: (value: undefined) => {
      // A generator takes notice only when it is not waiting.
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
          throw failureOfWord(event.error, event.error === 'provider_timeout' ? 504 : 502);
        }
        yield event;
        if (event.type === 'done') return;
      }
    }
  } catch (error) {
    if (signal.aborted || (error as Partial<Quire.Failure>).code) throw error;
    throw brokenOff(error);
  } finally {
    leaving.abort();
  }
  throw brokenOff();
}

function brokenOff(cause?: unknown): Quire.Failure {
  return failure('The answer broke off.', { status: 0, code: 'UNREACHABLE', cause });
}
