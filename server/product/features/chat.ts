import type { ChatBody } from '../../../contract/features/chat.ts';
import { EVENT_STREAM_HEADERS, encodeEvent, keepAlive } from '../../platform/http/index.ts';
import {
  type ChatProvider,
  estimateTokens,
  ProviderError,
  type ToolCall,
  type TurnPart,
  toTokens,
} from '../../platform/providers/index.ts';
import { parseAnswer } from './answer-object.ts';
import { chooseModel, composePrompt, measureChat, type SentChat } from './chat-prompt.ts';
import type { FeaturesContext } from './context.ts';
import { createSpending, type Spending } from './credits.ts';
import { FeatureError, toFailureEvent } from './feature-error.ts';
import type { Entered } from './gate.ts';

/** Characters per token at most: the longest tokens are runs of 128 spaces. A provider that sends more is cut off. */
const MAX_LETTERS_PER_TOKEN = 150;

interface Said {
  content: string;
  calls: ToolCall[];
  usage: { inputTokens: number; outputTokens: number; totalTokens: number };
}

/** Responds to a chat of a visitor, who pays for it. */
export const chat = (context: FeaturesContext, entered: Entered<ChatBody>) =>
  answerChat(context, entered, createSpending(context, entered, 'ai'));

/** Responds to a chat, complete or streamed. */
export async function answerChat(context: FeaturesContext, entered: SentChat, usual: Spending) {
  const { body } = entered;
  const { response_format: format } = body;
  const { factor } = chooseModel(context, body);
  const payer = String(entered.caller.actor.userId);
  // With no points it only asks whether too many answers have cost nothing.
  if (format) await context.unfitLimit.take(payer, 0);
  const { text, inputTokens } = measureChat(body);
  const spending = withPrice(usual, factor);
  const maxTokens = Math.min(body.maxTokens, (await spending.affordable(inputTokens + 1)) - inputTokens);
  await spending.reserve(inputTokens + maxTokens);
  const prompt = await composePrompt(context, entered).catch(async (error: unknown) => {
    await spending.release();
    throw error;
  });

  // A caller that disconnects stops the provider.
  const leaving = new AbortController();
  entered.signal.addEventListener('abort', () => leaving.abort());
  const parts = context.providers.chat.chat({ ...prompt, maxTokens, signal: leaving.signal });
  const heard = listen(parts, { inputTokens: estimateTokens(text), maxTokens });
  const saying = format ? inOnePiece(heard, format, () => context.unfitLimit.take(payer)) : heard;
  return body.stream
    ? streamed(context, saying, spending, leaving)
    : whole(await sayAll(saying, spending, leaving.signal), spending);
}

/** Spending in tokens of a model, of which each counts as `factor` tokens of the usual price. */
export function withPrice(spending: Spending, factor: number): Spending {
  const toPrice = (tokens: number) => Math.ceil(tokens * factor);
  return {
    affordable: async (least) =>
      Math.max(least, Math.floor((await spending.affordable(toPrice(least))) / factor)),
    reserve: (tokens) => spending.reserve(toPrice(tokens)),
    settle: (tokens) => spending.settle(toPrice(tokens)),
    release: () => spending.release(),
  };
}

/** A piece of what a provider says. */
type Piece = { type: 'delta'; content: string } | { type: 'tool_call'; call: ToolCall };

/** The response of a provider so far, and what it has cost. */
interface Listening {
  pieces(): AsyncGenerator<Piece>;
  /** The response so far, with the provider's usage, or our estimate if it was stopped before it sent any. */
  said(): Said;
  /** The response as an object, if that was asked for. */
  data(): { data?: Record<string, unknown> };
}

function listen(
  parts: ReturnType<ChatProvider['chat']>,
  { inputTokens, maxTokens }: { inputTokens: number; maxTokens: number },
): Listening {
  let content = '';
  let hidden = 0;
  const calls: ToolCall[] = [];
  let used: Extract<TurnPart, { type: 'usage' }> | undefined;
  return {
    async *pieces(): AsyncGenerator<Piece> {
      for await (const part of parts) {
        if (part.type === 'usage') {
          used = part;
        } else if (part.type === 'hidden') {
          hidden += part.letters;
        } else if (part.type === 'tool input') {
          hidden += part.text.length;
        } else if (part.type === 'tool call') {
          calls.push(part.call);
          yield { type: 'tool_call', call: part.call };
        } else if (part.type === 'text' && part.text !== '') {
          content += part.text;
          if (content.length > maxTokens * MAX_LETTERS_PER_TOKEN) {
            throw new ProviderError('failed', 'The provider sent far more than was requested.');
          }
          yield { type: 'delta', content: part.text };
        }
      }
    },
    said(): Said {
      const usage = used ?? { inputTokens, outputTokens: estimateTokens(content) + toTokens(hidden) };
      const totalTokens = usage.inputTokens + usage.outputTokens;
      return {
        content,
        calls,
        usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens, totalTokens },
      };
    },
    data: () => ({}),
  };
}

/**
 * A response by a schema: one piece, which is complete before anybody sees it. One that does not fit costs nothing, so
 * nobody must get it. If the model calls tools, this is not the answer yet: it costs what it costs.
 */
function inOnePiece(
  heard: Listening,
  format: Record<string, unknown>,
  onUnfit: () => Promise<void>,
): Listening {
  let data: Record<string, unknown> | undefined;
  return {
    async *pieces() {
      const calls: Piece[] = [];
      for await (const piece of heard.pieces()) if (piece.type === 'tool_call') calls.push(piece);
      const { content } = heard.said();
      if (calls.length > 0) {
        if (content !== '') yield { type: 'delta', content };
        yield* calls;
        return;
      }
      try {
        data = parseAnswer(content, format);
      } catch (error) {
        await onUnfit().catch(() => undefined);
        throw error;
      }
      yield { type: 'delta', content };
    },
    said: heard.said,
    data: () => (data ? { data } : {}),
  };
}

const toEvent = (piece: Piece) =>
  piece.type === 'delta' ? piece : { type: piece.type, ...toWireCall(piece.call) };

const toWireCall = ({ id, name, input = {} }: ToolCall) => ({ id, name, input });

async function sayAll(saying: Listening, spending: Spending, left: AbortSignal) {
  try {
    for await (const _ of saying.pieces());
  } catch (error) {
    // A caller that disconnects pays for what was generated. A provider that fails is not paid.
    if (left.aborted) await spending.settle(saying.said().usage.totalTokens);
    else await spending.release();
    throw error;
  }
  return { ...saying.said(), ...saying.data() };
}

async function whole({ calls, usage, ...said }: Awaited<ReturnType<typeof sayAll>>, spending: Spending) {
  return {
    success: true as const,
    ...said,
    ...(calls.length > 0 && { tool_calls: calls.map(toWireCall) }),
    usage,
    credits: await spending.settle(usage.totalTokens),
  };
}

function streamed(
  { log }: FeaturesContext,
  saying: Listening,
  spending: Spending,
  leaving: AbortController,
): Response {
  const encode = (data: object) => encodeEvent({ data });
  const pieces = saying.pieces();
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
        const { done, value } = await pieces.next();
        if (!done) return controller.enqueue(encode(toEvent(value)));
        const { usage } = saying.said();
        controller.enqueue(encode({ type: 'done', ...saying.data(), usage, credits: await settle() }));
      } catch (error) {
        if (leaving.signal.aborted) return void (await quietly(settle()));
        await quietly(spending.release());
        if (!(error instanceof ProviderError || error instanceof FeatureError))
          log.error({ err: error }, 'a chat broke off');
        controller.enqueue(encode({ type: 'error', ...toFailureEvent(error) }));
      }
      clearInterval(keepingAlive);
      controller.close();
    },
    cancel() {
      clearInterval(keepingAlive);
      leaving.abort();
      // The reader has disconnected, so the work in progress ends here.
      void quietly(
        pieces
          .next()
          .catch(() => undefined)
          .then(settle),
      );
    },
  });
  return new Response(body, { headers: EVENT_STREAM_HEADERS });
}
