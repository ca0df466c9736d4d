import { z } from 'zod';
import { parseModels } from '../../../contract/features/model-prices.ts';
import { about, httpUrl, wholeNumber } from './setting-kinds.ts';

/** The settings of visitor features: credits, and the providers of chat, images and image search. */
export const FEATURE_SETTINGS = {
  QUIRE_CREDITS_NEW_USER: about(
    wholeNumber.optional(),
    'Credits for a new account',
    'what an administrator sets, or `20` while only the demo provider is used, otherwise `0`',
  ),
  QUIRE_AI_PROVIDER: about(
    z.enum(['openai-compatible', 'anthropic', 'demo']).optional(),
    'Chat and image recognition: `openai-compatible`, `anthropic` or `demo`',
    'what an administrator connects, or the demo',
  ),
  QUIRE_AI_URL: about(
    httpUrl.optional(),
    'URL of the API. Required for `openai-compatible`; `anthropic` has a default',
    'none',
  ),
  QUIRE_AI_KEY: about(z.string().optional(), 'API key. Required for `anthropic`', 'none'),
  QUIRE_AI_MODEL: about(z.string().optional(), 'Chat model. Required except for `demo`', 'none'),
  QUIRE_AI_MODELS: about(
    z
      .string()
      .transform((text, { addIssue }) => {
        const models = parseModels(text);
        if (!models) addIssue('must be like large=2, small=0.1: models with credits for 1,000 tokens');
        return models ?? [];
      })
      .optional(),
    'Further models that pages can choose, each with its price in credits for 1,000 tokens: `large=2, small=0.1`. `QUIRE_AI_MODEL` costs 0.4 unless it is in the list',
    'none',
  ),
  QUIRE_AI_EMBED_MODEL: about(
    z.string().optional(),
    'Model for embeddings in functions (`env.AI.embed`), at the same API. Only for `openai-compatible`',
    'none: functions cannot make embeddings',
  ),
  QUIRE_VISION_MODEL: about(
    z.string().optional(),
    'Model for image recognition',
    'the same as `QUIRE_AI_MODEL`',
  ),
  QUIRE_IMAGE_URL: about(
    httpUrl.optional(),
    'URL of an OpenAI-compatible API that generates images',
    'what an administrator connects, or the demo',
  ),
  QUIRE_IMAGE_KEY: about(z.string().optional(), 'API key for images', 'none'),
  QUIRE_IMAGE_MODEL: about(z.string().optional(), 'Image model. Required with `QUIRE_IMAGE_URL`', 'none'),
  QUIRE_IMAGE_SEARCH: about(
    z.enum(['openverse', 'commons', 'demo']).optional(),
    '`openverse`, `commons` (Wikimedia Commons) or `demo`. None of them needs a key',
    'what an administrator chooses, or `openverse`',
  ),
  QUIRE_IMAGE_SEARCH_URL: about(
    httpUrl.optional(),
    'URL of another server with the same API',
    "the provider's own",
  ),
} as const;
