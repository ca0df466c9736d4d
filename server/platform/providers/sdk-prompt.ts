import { jsonSchema, type ModelMessage, type ToolSet } from 'ai';
import type { ModelTool, TurnMessage } from './provider.ts';

/** Messages and tools as the SDK takes them. */

/** Tools without `execute`: the SDK hands the calls over, and makes none. */
export function toToolSet(tools: ModelTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      { description, inputSchema: jsonSchema(inputSchema) },
    ]),
  );
}

export function toMessage(message: TurnMessage): ModelMessage {
  if (message.role === 'user')
    return {
      role: 'user',
      content: message.images?.length
        ? [
            ...(message.content === '' ? [] : [{ type: 'text' as const, text: message.content }]),
            ...message.images.map(({ bytes, contentType }) => ({
              type: 'image' as const,
              image: bytes,
              mediaType: contentType,
            })),
          ]
        : message.content,
    };
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
