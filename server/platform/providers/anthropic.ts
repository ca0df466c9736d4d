import { createAnthropic } from '@ai-sdk/anthropic';
import type { AiProvider } from './provider.ts';
import { createSdkChat, createSdkVision, type OpenModel } from './sdk-stream.ts';
import { createSdkTurns } from './sdk-turn.ts';

/** Set explicitly, because the SDK would otherwise look for a URL in the environment. */
const DEFAULT_URL = 'https://api.anthropic.com/v1';

interface AnthropicSettings {
  url: string | undefined;
  key: string;
  model: string;
  visionModel: string;
}

/** Anthropic's Messages API, or a compatible endpoint. */
export function createAnthropicProvider(settings: AnthropicSettings): AiProvider {
  const open =
    (model: string): OpenModel =>
    (fetch) =>
      createAnthropic({ baseURL: settings.url ?? DEFAULT_URL, apiKey: settings.key, fetch })(model);
  const main = open(settings.model);
  return {
    ...createSdkChat(open, { ...settings, hasToolsBesideFormat: true }),
    ...createSdkTurns(main),
    ...createSdkVision(open(settings.visionModel)),
  };
}
