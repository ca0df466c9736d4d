import { jsonSchema, type ModelMessage, type ToolSet } from 'ai';
import type { ModelTool, TurnMessage, TurnProvider } from './provider.ts';
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

/** Tools without `execute`: the SDK hands the calls over, and makes none. */
function toToolSet(tools: ModelTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      { description, inputSchema: jsonSchema(inputSchema) },
    ]),
  );
}

function toMessage(message: TurnMessage): ModelMessage {
  if (message.role === 'user') return message;
  if (message.role === 'tool')
    return {
      role: 'tool',
      content: message.results.map(({ id, name, content }) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: name,
        output: { type: 'text', value: content },
      })),
    };
  return {
    role: 'assistant',
    content: [
      // Vendors reject empty texts.
      ...(message.content === '' ? [] : [{ type: 'text' as const, text: message.content }]),
      ...message.calls.map(({ id, name, input }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        // Vendors accept only objects, also for a call that was none.
        input: input ?? {},
      })),
    ],
  };
}
