import { FunctionChat } from '../../../../contract/features/chat.ts';
import { FunctionTexts } from '../../../../contract/features/embeddings.ts';
import { toCredits } from '../../../../contract/rules/credit-amounts.ts';
import { AppError } from '../../../lib/errors.ts';
import { AtOnce } from '../../../platform/coordination/limits/index.ts';
import { validate } from '../../../platform/http/index.ts';
import type { LiveFunction } from '../calls/registry.ts';
import { readAiUse, secondsToNextDay } from '../model/ai-use.ts';
import type { Asking, AskingFunction, EnvService, ServicesContext } from './context.ts';
import { findOwner } from './own-api.ts';
import { AiQuestion } from './questions.ts';
import { whenRead } from './when-read.ts';

/** Answers of models that all functions of one owner can wait for or read at once. */
const MAX_AT_ONCE = 20;
const PER_FUNCTION = { points: 120, seconds: 60 };
/** Longer than a model may take. A stream that nobody has read to its end by then is cut. */
const LONGEST_MS = 6 * 60 * 1000;

/** `env.AI`: chats and embeddings, for the credits of the owner. */
export function createAiService(
  context: ServicesContext,
  { longestMs = LONGEST_MS } = {},
): EnvService<typeof AiQuestion, Asking> {
  const running = new AtOnce<number>(MAX_AT_ONCE);
  const limit = context.limits.limit(
    'function ai',
    PER_FUNCTION,
    'This function has asked models {points} times in the last minute, which is the limit. Try again {wait}.',
  );
  return {
    question: AiQuestion,
    async run({ asking }, { op, body }, { signal }) {
      const ask = prepare(context, op, body);
      const leave = running.enter(asking.ownerId);
      if (!leave) throw tooMany();
      try {
        await limit.take(String(asking.id));
        const { id, pageId } = asking;
        const owner = { actor: await findOwner(context, { asking }) };
        const response = await ask({
          id,
          pageId,
          owner,
          signal,
          refuse: (why) => refuse(context, asking, why),
        });
        return whenRead(response, { onEnd: leave, withinMs: longestMs });
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

/** Checks what a function asks. Something wrong is refused before it counts. */
function prepare(
  { ai }: ServicesContext,
  op: 'chat' | 'embed',
  body: unknown,
): (asking: AskingFunction) => Promise<Response> {
  if (op === 'chat') {
    const chat = validate(FunctionChat, body);
    return (asking) => ai().chat(asking, chat);
  }
  const { texts } = validate(FunctionTexts, body);
  return (asking) => ai().embed(asking, texts);
}

async function refuse(
  { db, now }: ServicesContext,
  { id, slug }: Pick<LiveFunction, 'id' | 'slug'>,
  why: string,
): Promise<AppError> {
  if (why !== 'daily limit reached')
    return new AppError(
      'QUOTA_EXCEEDED',
      'You have too few credits for this. Ask the people who run this server for more.',
    );
  const { limit, usedTokens } = await readAiUse(db, id, now());
  if (limit === 0)
    return new AppError(
      'FORBIDDEN',
      'AI is turned off for the function {slug}. Give it credits for a day: in its settings, or with PATCH /api/functions/{slug} and "aiDailyLimit".',
      { slug },
    );
  return new AppError(
    'RATE_LIMITED',
    'The function {slug} has {left} of its {limit} credits for AI left today, which is too few for this. Raise its aiDailyLimit in its settings, or with PATCH /api/functions/{slug}, or wait until tomorrow (UTC).',
    { slug, limit, left: Math.max(0, limit - toCredits(usedTokens)) },
    { headers: { 'retry-after': String(secondsToNextDay(now())) } },
  );
}

const tooMany = () =>
  new AppError(
    'RATE_LIMITED',
    'Your functions wait for {count} answers of models at once, which is the limit. Wait for some of them first.',
    { count: MAX_AT_ONCE },
    { headers: { 'retry-after': '1' } },
  );
