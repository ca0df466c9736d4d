import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { AiProvider } from './provider.ts';
import { createSdkChat, createSdkVision, type OpenModel } from './sdk-stream.ts';
import { createSdkTurns } from './sdk-turn.ts';

interface OpenAiCompatibleSettings {
  url: string;
  key: string | undefined;
  model: string;
  visionModel: string;
}

/** Any endpoint that is compatible with OpenAI's chat completions, with or without a key. */
export function createOpenAiCompatible(settings: OpenAiCompatibleSettings): AiProvider {
  const open =
    (model: string): OpenModel =>
    (fetch) =>
      createOpenAICompatible({
        name: 'vendor',
        baseURL: settings.url,
        ...(settings.key && { apiKey: settings.key }),
        includeUsage: true,
        supportsStructuredOutputs: true,
        transformRequestBody: (body) => nameOutputCap(settings.url, body),
        fetch,
      })(model);
  const main = open(settings.model);
  return {
    // Ollama and others would ignore the tools without saying so.
    ...createSdkChat(open, { ...settings, hasToolsBesideFormat: isOpenAi(settings.url) }),
    ...createSdkTurns(main),
    ...createSdkVision(open(settings.visionModel)),
  };
}

/** Renames the limit of the output: OpenAI's newer models reject the name that all other vendors use. */
export function nameOutputCap(url: string, body: Record<string, unknown>): Record<string, unknown> {
  if (!isOpenAi(url)) return body;
  const { max_tokens, ...rest } = body;
  return { ...rest, max_completion_tokens: max_tokens };
}

/** Whether this is OpenAI itself, and not a server that speaks like it. */
export const isOpenAi = (url: string) => new URL(url).hostname === 'api.openai.com';
