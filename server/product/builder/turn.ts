import type { BuilderEvent } from '../../../contract/agents/builder.ts';
import {
  MAX_RUN_TOKENS,
  MAX_TURN_INPUT_TOKENS,
  MAX_TURN_OUTPUT_TOKENS,
} from '../../../contract/rules/builder-limits.ts';
import {
  estimateTokens,
  type ModelTool,
  type ToolCall,
  type TurnProvider,
  toTokens,
} from '../../platform/providers/index.ts';
import type { BuilderContext } from './context.ts';
import { GrowingDocument } from './growing/growing-document.ts';
import { systemPrompt } from './prompt.ts';
import { type EarlyEnd, type Run, toolEvent } from './run.ts';

/** Bytes per token in a reservation: fewer than tokens have, so that the provider's count does not exceed it. */
const BYTES_PER_RESERVED_TOKEN = 3;
/** The least output that is useful in a turn. */
const LEAST_OUTPUT_TOKENS = 500;

/** A call with the number that its events have. */
export interface NumberedCall extends ToolCall {
  number: number;
}

/** One turn of the model: paid, streamed, and added to the conversation. Returns the calls it wants, or why it ends. */
export async function* takeTurn(
  context: BuilderContext & { turns: TurnProvider },
  run: Run,
  tools: ModelTool[],
): AsyncGenerator<BuilderEvent, NumberedCall[] | EarlyEnd> {
  const system = systemPrompt(run);
  const sent = JSON.stringify([system, run.messages, tools]);
  const inputTokens = Math.ceil(Buffer.byteLength(sent) / BYTES_PER_RESERVED_TOKEN);
  const left = MAX_RUN_TOKENS - run.usage.inputTokens - run.usage.outputTokens;
  if (inputTokens > Math.min(MAX_TURN_INPUT_TOKENS, left - LEAST_OUTPUT_TOKENS)) return 'length';
  const paying = await reserve(context, run, inputTokens);
  if (!paying) return 'credits';

  const { maxTokens } = paying;
  const parts = context.turns.turn({ system, messages: run.messages, tools, maxTokens, signal: run.signal });
  const calls: NumberedCall[] = [];
  /** The numbers of the calls, by their ids. */
  const started = new Map<string, number>();
  const growing = new GrowingDocument();
  let text = '';
  let hidden = 0;
  let used: { inputTokens: number; outputTokens: number } | undefined;
  let hasFailed = false;
  try {
    for await (const part of parts) {
      if (part.type === 'usage') {
        used = part;
      } else if (part.type === 'text') {
        text += part.text;
        if (part.text !== '') yield { type: 'text', content: part.text };
      } else if (part.type === 'hidden') {
        hidden += part.letters;
      } else if (part.type === 'tool input') {
        hidden += part.text.length;
        yield* growing.push(part.id, part.text);
      } else if (part.type === 'tool started') {
        started.set(part.id, ++run.calls);
        growing.begin(part.id, part.name);
        yield toolEvent(run, { id: run.calls, name: part.name.slice(0, 100), state: 'writing', summary: '' });
      } else {
        yield* growing.flush();
        calls.push({ ...part.call, number: started.get(part.call.id) ?? ++run.calls });
      }
    }
  } catch (error) {
    // A provider that fails is not paid. A person who disconnects or stops the run pays for what was generated.
    hasFailed = !run.signal.aborted;
    throw error;
  } finally {
    const outputTokens = estimateTokens(text) + toTokens(hidden);
    await paying.end(hasFailed ? undefined : (used ?? { inputTokens: estimateTokens(sent), outputTokens }));
    if (text.trim() !== '') run.said.push(text.trim());
  }
  run.messages.push({ role: 'assistant', content: text, calls });
  return calls;
}

/** Reserves the most that a turn can cost, to settle with the real cost. Undefined if credits are missing. */
async function reserve({ credits }: BuilderContext, run: Run, inputTokens: number) {
  const { actor } = run.caller;
  const who = {
    userId: actor.userId,
    pageId: run.page.id,
    needsConsent: false,
    tokenId: actor.tokenId,
  } as const;
  const most = await credits.affordable(who);
  if (typeof most === 'string' || most < inputTokens + LEAST_OUTPUT_TOKENS) return undefined;
  const maxTokens = Math.min(MAX_TURN_OUTPUT_TOKENS, most - inputTokens);
  const made = await credits.reserve({ ...who, feature: 'builder', tokens: inputTokens + maxTokens });
  if (typeof made === 'string') return undefined;
  return {
    maxTokens,
    async end(used: { inputTokens: number; outputTokens: number } | undefined): Promise<void> {
      if (!used) return void (await credits.release(made.reservationId));
      run.usage.inputTokens += used.inputTokens;
      run.usage.outputTokens += used.outputTokens;
      const total = used.inputTokens + used.outputTokens;
      const { chargedTokens, balanceTokens } = await credits.settle(made.reservationId, total);
      run.paid += chargedTokens;
      run.balance = balanceTokens;
    },
  };
}
