import type { ChatBody } from '../../../contract/features/chat.ts';
import { EMBEDDING_FACTOR } from '../../../contract/rules/credit-amounts.ts';
import { AppError } from '../../lib/errors.ts';
import type { SignedInCaller } from '../../platform/http/index.ts';
import { estimateTokens } from '../../platform/providers/index.ts';
import { answerChat, withPrice } from './chat.ts';
import { BYTES_PER_RESERVED_TOKEN } from './chat-prompt.ts';
import type { FeaturesContext } from './context.ts';
import { type Spending, spend } from './credits.ts';
import { toEnvError } from './feature-error.ts';
import type { ReservationFailure } from './needs.ts';

/** A function that asks a model, for its owner. */
export interface AskingFunction {
  id: number;
  pageId: number | null;
  /** The owner, who pays. */
  owner: SignedInCaller;
  signal: AbortSignal;
  /** The error if there are too few credits. */
  refuse(why: ReservationFailure): Promise<Error>;
}

/** AI in functions, paid by their owners. */
export interface FunctionAi {
  chat(asking: AskingFunction, body: ChatBody): Promise<Response>;
  embed(asking: AskingFunction, texts: string[]): Promise<Response>;
}

export function createFunctionAi(context: FeaturesContext): FunctionAi {
  const open = ({ id, pageId, owner, refuse }: AskingFunction): Spending => {
    const who = { userId: owner.actor.userId, pageId, needsConsent: false, functionId: id };
    return spend(context.credits, who, { feature: 'function_ai', refuse });
  };
  const respond = async (work: Promise<object>) => {
    const answer = await work.catch((error: unknown) => {
      throw toEnvError(error);
    });
    return answer instanceof Response ? answer : Response.json(answer);
  };
  return {
    chat: (asking, body) =>
      respond(answerChat(context, { body, caller: asking.owner, signal: asking.signal }, open(asking))),
    embed: (asking, texts) =>
      respond(embed(context, texts, withPrice(open(asking), EMBEDDING_FACTOR), asking.signal)),
  };
}

async function embed(
  { providers }: FeaturesContext,
  texts: string[],
  spending: Spending,
  signal: AbortSignal,
): Promise<object> {
  const { embeddings } = providers;
  if (embeddings === 'no endpoint')
    throw new AppError(
      'NOT_INSTALLED',
      'The AI provider of this server makes no embeddings. Ask the people who run it to connect one that is compatible with OpenAI.',
    );
  if (embeddings === 'no model')
    throw new AppError(
      'NOT_INSTALLED',
      'This server has no model for embeddings. An administrator can name one under Administration, Providers, or with QUIRE_AI_EMBED_MODEL.',
    );
  // No model has more tokens in a text than this, plus some around it.
  await spending.reserve(
    texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / BYTES_PER_RESERVED_TOKEN) + 10, 0),
  );
  try {
    const { vectors, tokens } = await embeddings.embed({ texts, signal });
    return { embeddings: vectors, usage: { totalTokens: tokens }, credits: await spending.settle(tokens) };
  } catch (error) {
    // A function that ends has used the provider too. A provider that fails is not paid.
    if (signal.aborted) await spending.settle(estimateTokens(texts.join('')));
    else await spending.release();
    throw error;
  }
}
