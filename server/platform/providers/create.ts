import packageJson from '../../../package.json' with { type: 'json' };
import { type CircuitOptions, type CircuitStatus, createCircuit } from './circuit.ts';
import { createCommons } from './commons.ts';
import { DEADLINES, type Deadlines } from './deadlines.ts';
import { demoChat, demoImages } from './demo/demo.ts';
import { createDemoImageSearch } from './demo/search.ts';
import { demoVision } from './demo/vision.ts';
import { guardCall, guardChat, guardTurns } from './guard.ts';
import { createOpenAiImages } from './openai-images.ts';
import { createOpenverse } from './openverse.ts';
import type {
  AiProvider,
  ChatProvider,
  ImageProvider,
  ImageSearchProvider,
  NoTurns,
  TurnProvider,
  VisionProvider,
} from './provider.ts';

/** The settings of the providers. The first three are passed on as they were read. */
export interface ProviderSettings {
  ai: {
    provider: 'openai-compatible' | 'anthropic' | 'demo';
    url: string | undefined;
    key: string | undefined;
    model: string | undefined;
    visionModel: string | undefined;
  };
  images: { url: string | undefined; key: string | undefined; model: string | undefined };
  imageSearch: { provider: 'openverse' | 'commons' | 'demo'; url: string | undefined };
  /** The URL of a demo search picture, see `drawDemoImageByName`. */
  demoImageUrl(name: string): string;
  /** Sent to the picture searches, which want to know who calls them. */
  baseUrl?: string;
  deadlines?: Partial<Deadlines>;
  circuit?: Partial<CircuitOptions>;
}

export interface Providers {
  chat: ChatProvider;
  /** Conversations with tools, or why there are none. */
  turns: TurnProvider | NoTurns;
  images: ImageProvider;
  vision: VisionProvider;
  imageSearch: ImageSearchProvider;
  isDemo: { chat: boolean; images: boolean; imageSearch: boolean };
  /** The status of each provider's circuit. */
  status(): Record<'chat' | 'images' | 'vision' | 'imageSearch', CircuitStatus>;
}

/** Creates the providers from the settings, each with its own deadlines and circuit breaker. */
export function createProviders(settings: ProviderSettings): Providers {
  const newGuard = () => ({
    circuit: createCircuit(settings.circuit),
    deadlines: { ...DEADLINES, ...settings.deadlines },
  });
  const guards = { chat: newGuard(), images: newGuard(), vision: newGuard(), imageSearch: newGuard() };
  const ai = chooseAi(settings.ai);
  const images = chooseImages(settings.images);
  const imageSearch = chooseImageSearch(settings);
  return {
    chat: guardChat(ai, guards.chat),
    // Turns use the same vendor as chats, so they have the same circuit.
    turns: 'turn' in ai ? guardTurns(ai, guards.chat) : 'demo provider',
    images: { generate: guardCall(images.generate, guards.images) },
    vision: { describe: guardCall(ai.describe, guards.vision) },
    imageSearch: { search: guardCall(imageSearch.search, guards.imageSearch) },
    isDemo: {
      chat: settings.ai.provider === 'demo',
      images: settings.images.url === undefined,
      imageSearch: settings.imageSearch.provider === 'demo',
    },
    status: () => ({
      chat: guards.chat.circuit.status(),
      images: guards.images.circuit.status(),
      vision: guards.vision.circuit.status(),
      imageSearch: guards.imageSearch.circuit.status(),
    }),
  };
}

function chooseAi({
  provider,
  url,
  key,
  model,
  visionModel,
}: ProviderSettings['ai']): AiProvider | (ChatProvider & VisionProvider) {
  if (provider === 'demo') return { ...demoChat, ...demoVision };
  const models = { model: need(model, 'model'), visionModel: need(visionModel ?? model, 'model') };
  if (provider === 'anthropic') {
    const settings = { url, key: need(key, 'key'), ...models };
    return loadOnUse(async () => (await import('./anthropic.ts')).createAnthropicProvider(settings));
  }
  const settings = { url: need(url, 'address'), key, ...models };
  return loadOnUse(async () => (await import('./openai-compatible.ts')).createOpenAiCompatible(settings));
}

/** Loads the SDK on first use. It takes a large part of a second to load, which would delay every start. */
function loadOnUse(load: () => Promise<AiProvider>): AiProvider {
  let loading: Promise<AiProvider> | undefined;
  const get = () => {
    loading ??= load();
    return loading;
  };
  return {
    async *chat(request) {
      yield* (await get()).chat(request);
    },
    async *turn(request) {
      yield* (await get()).turn(request);
    },
    describe: async (request) => (await get()).describe(request),
  };
}

function chooseImages({ url, key, model }: ProviderSettings['images']): ImageProvider {
  return url === undefined ? demoImages : createOpenAiImages({ url, key, model: need(model, 'model') });
}

function chooseImageSearch({ imageSearch, baseUrl, demoImageUrl }: ProviderSettings): ImageSearchProvider {
  if (imageSearch.provider === 'demo') return createDemoImageSearch(demoImageUrl);
  const userAgent = `Quire/${packageJson.version}${baseUrl ? ` (+${baseUrl})` : ''}`;
  const create = imageSearch.provider === 'commons' ? createCommons : createOpenverse;
  return create({ url: imageSearch.url, userAgent });
}

/** The settings are checked where they are read. This is for callers that build their own. */
function need(value: string | undefined, what: string): string {
  if (value === undefined) throw new Error(`This provider needs its ${what}.`);
  return value;
}
