import type { ChatBody } from '../../../contract/features/features.ts';
import { EVENT_STREAM_HEADERS, encodeEvent, keepAlive } from '../../platform/http/index.ts';
import {
  type ChatPart,
  type ChatProvider,
  estimateTokens,
  ProviderError,
  toTokens,
} from '../../platform/providers/index.ts';
import type { FeaturesContext } from './context.ts';
import { createSpending, type Spending } from './credits.ts';
import { toFailureWord } from './feature-error.ts';
import type { Entered } from './gate.ts';

/** Bytes per token in a reservation: fewer than tokens have, so that the provider's count does not exceed it. */
const BYTES_PER_RESERVED_TOKEN = 3;
/** Characters per token at most: the longest tokens are runs of 128 spaces. A provider that sends more is cut off. */
const MAX_LETTERS_PER_TOKEN = 150;

interface Said {
  content: string;
  usage: { inputTokens: number; outputTokens: number; totalTokens: number };
}

/** Responds to a chat, complete or streamed. */
export async function chat(context: FeaturesContext, entered: Entered<ChatBody>) {
  const { body } = entered;
  const spending = createSpending(context, entered, 'ai');
  const input = [body.system_prompt, ...body.messages.map(({ content }) => content)].join('\n');
  const inputBytes = Buffer.byteLength(input);
  const inputTokens = Math.ceil(inputBytes / BYTES_PER_RESERVED_TOKEN) + 10 * (body.messages.length + 1);
  const maxTokens = Math.min(body.maxTokens, (await spending.affordable(inputTokens + 1)) - inputTokens);
  await spending.reserve(inputTokens + maxTokens);

  // A caller that disconnects stops the provider.
  const leaving = new AbortController();
  entered.signal.addEventListener('abort', () => leaving.abort());
  const parts = context.providers.chat.chat({
    system: body.system_prompt,
    messages: body.messages,
    maxTokens,
    signal: leaving.signal,
  });
  const saying = listen(parts, { inputTokens: estimateTokens(input), maxTokens });
  return body.stream
    ? streamed(context, saying, spending, leaving)
    : whole(await sayAll(saying, spending, leaving.signal), spending);
}

/** The response of a provider so far, and what it has cost. */
function listen(
  parts: ReturnType<ChatProvider['chat']>,
  { inputTokens, maxTokens }: { inputTokens: number; maxTokens: number },
) {
  let content = '';
  let hidden = 0;
  let used: Extract<ChatPart, { type: 'usage' }> | undefined;
  return {
    async *texts(): AsyncGenerator<string> {
      for await (const part of parts) {
        if (part.type === 'usage') {
          used = part;
        } else if (part.type === 'hidden') {
          hidden += part.letters;
        } else if (part.text !== '') {
          content += part.text;
          if (content.length > maxTokens * MAX_LETTERS_PER_TOKEN) {
            throw new ProviderError('failed', 'The provider sent far more than was requested.');
          }
          yield part.text;
        }
      }
    },
    /** The response so far, with the provider's usage, or our estimate if it was stopped before it sent any. */
    said(): Said {
      const usage = used ?? { inputTokens, outputTokens: estimateTokens(content) + toTokens(hidden) };
      const totalTokens = usage.inputTokens + usage.outputTokens;
      return {
        content,
        usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens, totalTokens },
      };
    },
  };
}

type Listening = ReturnType<typeof listen>;

async function sayAll(saying: Listening, spending: Spending, left: AbortSignal): Promise<Said> {
  try {
    for await (const _ of saying.texts());
  } catch (error) {
    // A caller that disconnects pays for what was generated. A provider that fails is not paid.
    if (left.aborted) await spending.settle(saying.said().usage.totalTokens);
    else await spending.release();
    throw error;
  }
  return saying.said();
}

async function whole({ content, usage }: Said, spending: Spending) {
  return { success: true as const, content, usage, credits: await spending.settle(usage.totalTokens) };
}

function streamed(
  { log }: FeaturesContext,
  saying: Listening,
  spending: Spending,
  leaving: AbortController,
): Response {
  const encode = (data: object) => encodeEvent({ data });
  const texts = saying.texts();
  const settle = () => spending.settle(saying.said().usage.totalTokens);
  // A reservation that can be neither charged nor released now (the disk may be full) is released when it expires.
  const quietly = (work: Promise<unknown>) =>
    work.catch((error: unknown) => log.error({ err: error }, 'a chat could not be settled'));
  let keepingAlive: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // Keep the connection alive: a provider may think for long, and an idle connection would be closed.
      keepingAlive = keepAlive(controller);
    },
    async pull(controller) {
      try {
        const { done, value } = await texts.next();
        if (!done) return controller.enqueue(encode({ type: 'delta', content: value }));
        const { usage } = saying.said();
        controller.enqueue(encode({ type: 'done', usage, credits: await settle() }));
      } catch (error) {
        if (leaving.signal.aborted) return void (await quietly(settle()));
        await quietly(spending.release());
        if (!(error instanceof ProviderError)) log.error({ err: error }, 'a chat broke off');
        controller.enqueue(encode({ type: 'error', error: toFailureWord(error) }));
      }
      clearInterval(keepingAlive);
      controller.close();
    },
    cancel() {
      clearInterval(keepingAlive);
      leaving.abort();
      // The reader has disconnected, so the work in progress ends here.
      void quietly(
        texts
          .next()
          .catch(() => undefined)
          .then(settle),
      );
    },
  });
  return new Response(body, { headers: EVENT_STREAM_HEADERS });
}
