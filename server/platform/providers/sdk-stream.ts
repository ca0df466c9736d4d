import { jsonSchema, type LanguageModel, type ModelMessage, Output, streamText, type ToolSet } from 'ai';
import { VendorFailure } from './failures.ts';
import type {
  ChatPart,
  ChatProvider,
  ChatRequest,
  ToolCall,
  TurnMessage,
  TurnPart,
  VisionProvider,
} from './provider.ts';
import { toMessage, toToolSet } from './sdk-prompt.ts';
import { estimateTokens, meterUsage, toTokens } from './usage.ts';

/** Creates a vendor's model that uses the given fetch. */
export type OpenModel = (fetch: typeof globalThis.fetch) => LanguageModel;

export interface Prompt {
  system: string;
  messages: ModelMessage[];
  tools?: ToolSet;
  /** The JSON Schema that the response has to fit. */
  responseFormat?: Record<string, unknown> | undefined;
  /** The estimated length, for vendors that do not report usage. */
  estimatedTokens: number;
  maxTokens: number;
  signal: AbortSignal;
}

const VISION_MAX_TOKENS = 1024;
/** What most vendors count for a picture at most, for those that do not report usage. */
const TOKENS_OF_A_PICTURE = 1_600;
/** The longest tokens that models have are runs of 128 spaces. A vendor that sends more for each is cut off. */
const MAX_LETTERS_PER_TOKEN = 150;
/** A call without arguments counts as this much, so that a vendor cannot send any number of them. */
const LETTERS_OF_A_CALL = 100;

// The SDK would otherwise print warnings to standard output, between the lines of our log.
globalThis.AI_SDK_LOG_WARNINGS = false;

interface SdkChatOptions {
  model: string;
  visionModel: string;
  /** Whether a model calls tools though it has to answer by a schema. Others answer at once, and make up what they lack. */
  hasToolsBesideFormat: boolean;
}

/** Chats with a model, or with another one if the chat has pictures and names none. */
export function createSdkChat(
  open: (model: string) => OpenModel,
  { model, visionModel, hasToolsBesideFormat }: SdkChatOptions,
): ChatProvider {
  return {
    chat({ tools = [], messages, maxTokens, signal, ...request }) {
      const isFormatTold = request.responseFormat && tools.length > 0 && !hasToolsBesideFormat;
      const system = isFormatTold ? tellFormat(request) : request.system;
      const responseFormat = isFormatTold ? undefined : request.responseFormat;
      const pictures = messages.flatMap((message) =>
        message.role === 'user' ? (message.images ?? []) : [],
      ).length;
      const estimatedTokens =
        estimateTokens(system + messages.map(readText).join('')) + pictures * TOKENS_OF_A_PICTURE;
      // Vendors require at least one message. If there is none, we send the page's instructions as the message.
      const prompt = messages.length
        ? { system, messages: messages.map(toMessage) }
        : { system: '', messages: [{ role: 'user' as const, content: system }] };
      const parts = streamParts(open(request.model ?? (pictures > 0 ? visionModel : model)), {
        ...{ ...prompt, estimatedTokens, maxTokens, signal, responseFormat },
        ...(tools.length > 0 && { tools: toToolSet(tools) }),
      });
      return tools.length > 0 ? parts : onlyChat(parts);
    },
  };
}

/** Instructions that say how the answer has to look. */
const tellFormat = ({ system, responseFormat }: Pick<ChatRequest, 'system' | 'responseFormat'>) =>
  `${system}\n\nWhen you need no more tools, answer with one JSON object and nothing else. It must fit this JSON Schema:\n${JSON.stringify(responseFormat)}`;

const readText = (message: TurnMessage) =>
  message.role === 'tool'
    ? message.results.map(({ content }) => content).join('')
    : message.content + (message.role === 'assistant' ? JSON.stringify(message.calls) : '');

/** Describes pictures. Responses are streamed, so that all vendor calls fail in the same way. */
export function createSdkVision(open: OpenModel): VisionProvider {
  return {
    async describe({ prompt, image, signal }) {
      const content = [
        { type: 'text' as const, text: prompt },
        { type: 'image' as const, image: image.bytes, mediaType: image.contentType },
      ];
      const parts = streamParts(open, {
        system: '',
        messages: [{ role: 'user', content }],
        estimatedTokens: estimateTokens(prompt),
        maxTokens: VISION_MAX_TOKENS,
        signal,
      });
      let description = '';
      for await (const part of parts) if (part.type === 'text') description += part.text;
      return description;
    },
  };
}

/** Leaves out calls of tools: a model without tools may still try to call one, and what it writes is paid for. */
async function* onlyChat(parts: AsyncIterable<TurnPart>): AsyncGenerator<ChatPart> {
  for await (const part of parts) {
    if (part.type === 'tool input') yield { type: 'hidden', letters: part.text.length };
    else if (part.type !== 'tool started' && part.type !== 'tool call') yield part;
  }
}

/** Streams one response. */
export async function* streamParts(open: OpenModel, prompt: Prompt): AsyncGenerator<TurnPart> {
  const meter = meterUsage();
  const { fullStream } = streamText({
    model: open(meter.fetch),
    ...(prompt.system && { system: prompt.system }),
    messages: prompt.messages,
    ...(prompt.tools && { tools: prompt.tools }),
    ...(prompt.responseFormat && {
      output: Output.object({ schema: jsonSchema(prompt.responseFormat) }),
      // Otherwise OpenAI refuses schemas in which a property may be missing.
      providerOptions: { vendor: { strictJsonSchema: false } },
    }),
    maxOutputTokens: prompt.maxTokens,
    maxRetries: 0,
    abortSignal: prompt.signal,
    // Errors also arrive as parts. Without this handler the SDK would print them, including the vendor's text.
    onError: () => undefined,
  });

  const written = countLetters(prompt.maxTokens);
  let isWhole = false;
  for await (const part of fullStream) {
    if (part.type === 'text-delta') {
      written.add(part.text);
      yield { type: 'text', text: part.text };
    } else if (part.type === 'tool-input-start') {
      written.add(part.toolName.padEnd(LETTERS_OF_A_CALL));
      yield { type: 'tool started', id: part.id, name: part.toolName };
    } else if (part.type === 'tool-input-delta') {
      yield { type: 'tool input', id: part.id, text: written.add(part.delta) };
    } else if (part.type === 'reasoning-delta') {
      yield { type: 'hidden', letters: written.add(part.text).length };
    } else if (part.type === 'tool-call') {
      yield { type: 'tool call', call: toCall(part) };
    } else if (part.type === 'error') {
      throw part.error;
    } else if (part.type === 'abort') {
      throw prompt.signal.reason;
    } else if (part.type === 'finish') {
      isWhole = part.rawFinishReason !== undefined;
    }
  }
  if (!isWhole) throw new VendorFailure('The stream ended in the middle of an answer.');
  yield {
    type: 'usage',
    // If the vendor did not report a figure, or not as a number, we estimate it from the length of the text.
    inputTokens: meter.figures.input ?? prompt.estimatedTokens,
    outputTokens: meter.figures.output ?? written.tokens(),
  };
}

function countLetters(maxTokens: number) {
  let letters = 0;
  return {
    add(text: string): string {
      letters += text.length;
      if (letters > maxTokens * MAX_LETTERS_PER_TOKEN)
        throw new VendorFailure('The vendor sent far more than was requested.');
      return text;
    },
    tokens: () => toTokens(letters),
  };
}

function toCall(part: { toolCallId: string; toolName: string; input: unknown }): ToolCall {
  const { toolCallId: id, toolName: name, input } = part;
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return { id, name, input: isObject ? (input as Record<string, unknown>) : undefined };
}
