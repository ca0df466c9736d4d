import { MAX_BATCH_SENT } from '../protocol.ts';
import { ask, type Inner, service } from './ask.ts';

interface Options {
  delaySeconds?: unknown;
  key?: unknown;
}
type Sent = Options & { body?: unknown };

// Taken before owner code can replace it.
const { stringify } = JSON;

/** `env.QUEUE`: messages to the module's own `queue`. */
export function queue(inner: Inner): object {
  return service({
    async send(message: unknown, { delaySeconds, key }: Options = {}): Promise<void> {
      const method = 'QUEUE.send';
      const body = toJson(message, `${method}: A message must be something that JSON can have.`);
      await ask(inner, 'queue', method, { messages: [{ body, delaySeconds, key }] });
    },
    async sendBatch(given: Iterable<Sent>, { delaySeconds }: Options = {}): Promise<void> {
      const method = 'QUEUE.sendBatch';
      const rule = `${method}: Send a list of messages, each with a body that JSON can have, such as [{ body: 'first' }].`;
      if (typeof given?.[Symbol.iterator] !== 'function') throw new TypeError(rule);
      const messages = [...given].map((each) => ({
        body: toJson(each?.body, rule),
        delaySeconds: each.delaySeconds ?? delaySeconds,
        key: each.key,
      }));
      if (messages.length > MAX_BATCH_SENT)
        throw new RangeError(`${method}: Send at most ${MAX_BATCH_SENT} messages at once.`);
      if (messages.length > 0) await ask(inner, 'queue', method, { messages });
    },
  });
}

function toJson(value: unknown, rule: string): string {
  let text: string | undefined;
  try {
    text = stringify(value);
  } catch (error) {
    throw new TypeError(rule, { cause: error });
  }
  if (text === undefined) throw new TypeError(rule);
  return text;
}
