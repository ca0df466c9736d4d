import { z } from 'zod';
import { shortText, text } from '../../../../contract/fields.ts';
import { MAX_BATCH_SENT, MAX_DELAY_SECONDS } from '../../../../workers/protocol.ts';
import { AppError } from '../../../lib/errors.ts';
import { MAX_JOB_KEY, MAX_MESSAGE_BYTES } from '../jobs/limits.ts';
import { sendMessages } from '../jobs/send.ts';
import { type Asking, type EnvService, readRound, type ServicesContext } from './context.ts';

/** All functions of an owner can send this many times as often as an IP address can call functions. */
const TIMES_ADDRESS_LIMIT = 50;

/** Characters of a message that is stored together with others. */
const SMALL_MESSAGE = 4 * 1024;

const DELAY_RULE = 'delaySeconds must be a whole number from 0 to 604800, which is seven days';
const Message = z.strictObject({
  body: text().refine((value) => Buffer.byteLength(value) <= MAX_MESSAGE_BYTES, {
    error: 'is larger than 128 KB as JSON. Store it somewhere, and send where it is',
  }),
  key: shortText(MAX_JOB_KEY).min(1, 'must not be empty').optional(),
  delaySeconds: z.int(DELAY_RULE).min(0, DELAY_RULE).max(MAX_DELAY_SECONDS, DELAY_RULE).optional(),
});

type SentMessage = z.infer<typeof Message>;

const SentMessages = z.strictObject({ messages: z.array(Message).min(1).max(MAX_BATCH_SENT) });

/** `env.QUEUE`: messages to the function's own `queue`. */
export function createQueueService(context: ServicesContext): EnvService<typeof SentMessages, Asking> {
  const { commit, chargeUsage, config, limits, now, wakeJobs } = context;
  const limit = limits.limit(
    'function queue',
    { points: TIMES_ADDRESS_LIMIT * config.callsPerMinute, seconds: 60 },
    'Your functions have used env.QUEUE {points} times in the last minute, which is the limit. Send several messages at once with sendBatch, or try again {wait}.',
  );
  return {
    question: SentMessages,
    async run({ asking, hasQueue }, { messages: given }, request) {
      const round = readRound(request);
      const messages = given.map((message) => ({ ...message, round }));
      const { id, ownerId, slug } = asking;
      if (!hasQueue) throw noQueue(slug);
      if (!messages.every(({ body }) => isJson(body)))
        throw new AppError('BAD_REQUEST', 'A message must be something that JSON can have.');
      await limit.take(String(ownerId));
      const to = { functionId: id, ownerId };
      // Not with the writes of others: these would lock the owner's usage before the queue, and two nodes could deadlock.
      const isSooner = await commit.runBatched(
        isSmall(messages) ? `queue ${id}` : undefined,
        messages,
        async (tx, sent) => {
          const isSooner = await sendMessages(tx, to, sent.flat(), { now: now(), chargeUsage });
          return sent.map((_, at) => at === 0 && isSooner);
        },
        { alone: true },
      );
      if (isSooner) wakeJobs();
      return new Response(null, { status: 204 });
    },
  };
}

/** True if messages can share a transaction with others of their function without making it long. */
const isSmall = ([first, ...others]: SentMessage[]) =>
  others.length === 0 && first !== undefined && first.body.length <= SMALL_MESSAGE;

/** Checks again what the function's side has made: it runs beside the owner's code. */
function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

const noQueue = (slug: string) =>
  new AppError(
    'CONFLICT',
    'The default export of {slug} has no queue function, so nobody would get the message. Write: export default { queue(batch, env, ctx) { … } }',
    { slug },
  );
