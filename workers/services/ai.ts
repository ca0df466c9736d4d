import { EventParser } from '../../contract/rules/event-stream.ts';
import { ask, failure, type Inner } from './ask.ts';

type ChatEvent = { type: string; message?: string };

const CHAT = 'AI.chat';

/** `env.AI`: models, for the credits of the function's owner. */
export function ai(inner: Inner): object {
  const send = (op: string, method: string, body: unknown) => ask(inner, 'ai', method, { op, body });
  return Object.freeze({
    chat(options: { stream?: unknown } = {}): unknown {
      if (options.stream === true) return readEvents(() => send('chat', CHAT, options));
      return send('chat', CHAT, options).then((response) => response.json());
    },
    embed: async (texts: unknown) => {
      const body = { texts: typeof texts === 'string' ? [texts] : texts };
      return (await send('embed', 'AI.embed', body)).json();
    },
  });
}

/** The events of a chat. It begins with the first one that is read. Leaving the loop ends it. */
async function* readEvents(open: () => Promise<Response>): AsyncGenerator<ChatEvent, void, undefined> {
  const { body } = await open();
  if (!body) throw failure(CHAT, {}, undefined);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const found: ChatEvent[] = [];
  const parser = new EventParser(({ data }) => data && found.push(JSON.parse(data) as ChatEvent));
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parser.push(value);
      for (const event of found.splice(0)) {
        if (event.type === 'error')
          throw failure(CHAT, { error: event.message ?? 'The model failed. Try again.' }, undefined);
        yield event;
        if (event.type === 'done') return;
      }
    }
  } finally {
    // What is not read any more is not made any more.
    await reader.cancel().catch(() => undefined);
  }
  throw failure(CHAT, { error: 'The answer broke off. Try again.' }, undefined);
}
