import { MAX_BATCH_SENT } from '../protocol.ts';
import { ask, type Inner } from './ask.ts';

interface Options {
  delaySeconds?: unknown;
  key?: unknown;
}
type Sent = Options & { body?: unknown };

// Taken before owner code can replace it.
const { stringify } = JSON;

/** `env.QUEUE`: messages to the module's own `queue`. */
export function queue(inner: Inner): object {
  return Object.freeze({
    async send(message: unknown, { delaySeconds, key }: Options = {}): Promise<void> {
      const messages = [toMessage('QUEUE.send', { body: message, delaySeconds, key })];
      await ask(inner, 'queue', 'QUEUE.send', { messages });
    },
    async sendBatch(given: Iterable<Sent>, { delaySeconds }: Options = {}): Promise<void> {
      const method = 'QUEUE.sendBatch';
      const messages = [...given].map((each) => toMessage(method, { delaySeconds, ...each }));
      if (messages.length > MAX_BATCH_SENT)
        throw new RangeError(`${method}: Send at most ${MAX_BATCH_SENT} messages at once.`);
      if (messages.length > 0) await ask(inner, 'queue', method, { messages });
    },
  });
}

function toMessage(method: string, { body, delaySeconds, key }: Sent) {
  const text = stringify(body) as string | undefined;
  if (text === undefined) throw new TypeError(`${method}: A message must be something that JSON can have.`);
  return { body: text, delaySeconds, key };
}
