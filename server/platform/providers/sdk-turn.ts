import type { TurnProvider } from './provider.ts';
import { toMessage, toToolSet } from './sdk-prompt.ts';
import { type OpenModel, streamParts } from './sdk-stream.ts';
import { estimateTokens } from './usage.ts';

export function createSdkTurns(open: OpenModel): TurnProvider {
  return {
    turn({ system, messages, tools, maxTokens, signal }) {
      const estimatedTokens = estimateTokens(JSON.stringify([system, messages, tools]));
      const prompt = { system, messages: messages.map(toMessage), tools: toToolSet(tools) };
      return streamParts(open, { ...prompt, estimatedTokens, maxTokens, signal });
    },
  };
}
