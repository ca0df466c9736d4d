import { type LanguageModel, type ModelMessage, streamText } from 'ai';
import { VendorFailure } from './failures.ts';
import type { ChatPart, ChatProvider, VisionProvider } from './provider.ts';
import { estimateTokens, meterUsage } from './usage.ts';

/** Makes a vendor's model that talks through the given fetch. */
export type OpenModel = (fetch: typeof globalThis.fetch) => LanguageModel;

interface Prompt {
  system: string;
  messages: ModelMessage[];
  /** About how long it is, for a vendor that does not count. */
  estimatedTokens: number;
  maxTokens: number;
  signal: AbortSignal;
}

const VISION_MAX_TOKENS = 1024;

// The SDK would write its advice on our standard output, between the lines of the log.
globalThis.AI_SDK_LOG_WARNINGS = false;

export function createSdkChat(open: OpenModel): ChatProvider {
  return {
    chat({ system, messages, maxTokens, signal }) {
      const texts = [system, ...messages.map((message) => message.content)];
      const estimatedTokens = estimateTokens(texts.join(''));
      // Vendors want at least one message: without any, what the page asks for is all there is to say.
      const prompt = messages.length
        ? { system, messages }
        : { system: '', messages: [{ role: 'user' as const, content: system }] };
      return streamParts(open, { ...prompt, estimatedTokens, maxTokens, signal });
    },
  };
}

/** Streamed as well, so that there is one way to ask a vendor, and one way in which it can fail. */
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

async function* streamParts(open: OpenModel, prompt: Prompt): AsyncGenerator<ChatPart> {
  const meter = meterUsage();
  const { fullStream } = streamText({
    model: open(meter.fetch),
    ...(prompt.system && { system: prompt.system }),
    messages: prompt.messages,
    maxOutputTokens: prompt.maxTokens,
    maxRetries: 0,
    abortSignal: prompt.signal,
    // Errors come as parts, too; without this the SDK also prints them, with the vendor's text.
    onError: () => undefined,
  });

  let answer = '';
  let isWhole = false;
  for await (const part of fullStream) {
    if (part.type === 'text-delta') {
      answer += part.text;
      yield { type: 'text', text: part.text };
    } else if (part.type === 'reasoning-delta') {
      yield { type: 'text', text: '' };
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
    // A figure that the vendor has not given, or not as a number, is estimated from the length of the text.
    inputTokens: meter.figures.input ?? prompt.estimatedTokens,
    outputTokens: meter.figures.output ?? estimateTokens(answer),
  };
}
