import type { PricedModel } from '../../../contract/features/model-prices.ts';
import { TOKENS_PER_CREDIT } from '../../../contract/rules/credit-amounts.ts';
import {
  CONNECTABLE,
  type Connectable,
  LASTING_FAILURES,
  type ProviderFailure,
} from '../../../contract/rules/provider-kinds.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { type CircuitOptions, type CircuitStatus, createCircuit } from './circuit.ts';
import { DEADLINES, type Deadlines } from './deadlines.ts';
import { demoChat, demoImages } from './demo/demo.ts';
import { demoEmbeddings } from './demo/embeddings.ts';
import { createDemoImageSearch } from './demo/search.ts';
import { demoVision } from './demo/vision.ts';
import { type Guard, guardCall, guardChat, guardTurns } from './guard.ts';
import { createEmbeddings } from './openai/embeddings.ts';
import { createOpenAiImages } from './openai/images.ts';
import type {
  AiProvider,
  ChatProvider,
  EmbeddingProvider,
  ImageProvider,
  ImageSearchProvider,
  NoEmbeddings,
  NoTurns,
  TurnProvider,
  VisionProvider,
} from './provider.ts';
import { createCommons } from './search/commons.ts';
import { createOpenverse } from './search/openverse.ts';

/** Which providers to use. */
export interface ChosenProviders {
  ai: {
    provider: 'openai-compatible' | 'anthropic' | 'demo';
    url: string | undefined;
    key: string | undefined;
    model: string | undefined;
    visionModel: string | undefined;
    /** The model for embeddings, if the provider has one. */
    embedModel?: string | undefined;
    /** False if the model cannot call tools. */
    callsTools?: boolean | undefined;
    /** Further models of the same provider that visitors can choose. */
    models?: PricedModel[] | undefined;
  };
  images: { url: string | undefined; key: string | undefined; model: string | undefined };
  imageSearch: { provider: 'openverse' | 'commons' | 'demo'; url: string | undefined };
}

/** The settings of the providers. */
export interface ProviderSettings extends ChosenProviders {
  /** The URL of a demo search picture, see `drawDemoImageByName`. */
  demoImageUrl(name: string): string;
  /** Sent to the picture searches, which want to know who calls them. */
  baseUrl?: string;
  deadlines?: Partial<Deadlines>;
  circuit?: Partial<CircuitOptions>;
  /** Called when a call has failed for a lasting reason, and when one has worked. */
  onProblem?(name: Connectable, problem: ProviderFailure | undefined): void;
}

export interface Providers {
  readonly chat: ChatProvider;
  /** The models that chats can name. The first one answers those that name none. */
  readonly models: PricedModel[];
  /** Conversations with tools, or why there are none. */
  readonly turns: TurnProvider | NoTurns;
  /** Embeddings, or why there are none. */
  readonly embeddings: EmbeddingProvider | NoEmbeddings;
  readonly images: ImageProvider;
  readonly vision: VisionProvider;
  readonly imageSearch: ImageSearchProvider;
  readonly isDemo: { chat: boolean; images: boolean; imageSearch: boolean };
  /** The status of each provider's circuit. */
  status(): Record<'chat' | 'images' | 'vision' | 'imageSearch', CircuitStatus>;
  /** Uses other providers from the next call on. Calls that have begun end with those they began with. */
  use(chosen: ChosenProviders): void;
  /** Forgets that a provider has failed. */
  reset(name: Connectable): void;
}

const PARTS = { chat: 'ai', images: 'images', 'image-search': 'imageSearch' } as const;

/** Creates the providers from the settings, each with its own deadlines and circuit breaker. */
export function createProviders(settings: ProviderSettings): Providers {
  const open = {
    ai: (chosen: ChosenProviders) => openAi(settings, chosen.ai),
    images: (chosen: ChosenProviders) => openImages(settings, chosen.images),
    imageSearch: (chosen: ChosenProviders) => openImageSearch(settings, chosen.imageSearch),
  };
  let current: ChosenProviders = settings;
  let [ai, images, search] = [open.ai(current), open.images(current), open.imageSearch(current)];
  const differs = (next: ChosenProviders, part: keyof ChosenProviders) =>
    JSON.stringify(next[part]) !== JSON.stringify(current[part]);
  const replace = (name: Connectable) => {
    const part = { chat: ai, images, 'image-search': search }[name];
    part.life.isOver = true;
    if (name === 'chat') ai = open.ai(current);
    else if (name === 'images') images = open.images(current);
    else search = open.imageSearch(current);
  };
  return {
    get chat() {
      return ai.chat;
    },
    get turns() {
      return ai.turns;
    },
    get embeddings() {
      return ai.embeddings;
    },
    get models() {
      return ai.models;
    },
    get vision() {
      return ai.vision;
    },
    get images() {
      return images.provider;
    },
    get imageSearch() {
      return search.provider;
    },
    get isDemo() {
      return { chat: ai.isDemo, images: images.isDemo, imageSearch: search.isDemo };
    },
    status: () => ({
      ...ai.status(),
      images: images.circuit.status(),
      imageSearch: search.circuit.status(),
    }),
    use(next) {
      const changed = CONNECTABLE.filter((name) => differs(next, PARTS[name]));
      current = next;
      for (const name of changed) replace(name);
    },
    reset: replace,
  };
}

interface Life {
  isOver: boolean;
}

const newLife = (): Life => ({ isOver: false });

/** The guard of a provider. Calls of a provider that has been replaced say nothing about the new one. */
function newGuard(settings: ProviderSettings, name: Connectable, life: Life): Guard {
  const { circuit, deadlines, onProblem } = settings;
  return {
    circuit: createCircuit(circuit),
    deadlines: { ...DEADLINES, ...deadlines },
    onEnd(reason) {
      if (life.isOver || (reason !== undefined && !LASTING_FAILURES.includes(reason))) return;
      onProblem?.(name, reason);
    },
  };
}

function openAi(settings: ProviderSettings, chosen: ChosenProviders['ai']) {
  const life = newLife();
  const guards = { chat: newGuard(settings, 'chat', life), vision: newGuard(settings, 'chat', life) };
  const ai = chooseAi(chosen);
  const turns: TurnProvider | NoTurns = !('turn' in ai)
    ? 'demo provider'
    : chosen.callsTools === false
      ? 'no tools'
      : // Turns use the same vendor as chats, so they have the same circuit.
        guardTurns(ai, guards.chat);
  return {
    chat: guardChat(ai, guards.chat),
    turns,
    embeddings: openEmbeddings(settings, chosen, life),
    models: listModels(chosen),
    vision: { describe: guardCall(ai.describe, guards.vision) },
    isDemo: chosen.provider === 'demo',
    life,
    status: () => ({ chat: guards.chat.circuit.status(), vision: guards.vision.circuit.status() }),
  };
}

/** Embeddings have another model, so their failures say nothing about chats. */
function openEmbeddings(
  settings: ProviderSettings,
  { provider, url, key, embedModel: model }: ChosenProviders['ai'],
  life: Life,
): EmbeddingProvider | NoEmbeddings {
  if (provider === 'demo') return demoEmbeddings;
  if (provider === 'anthropic') return 'no endpoint';
  if (model === undefined) return 'no model';
  const { onProblem: _, ...silent } = settings;
  const { embed } = createEmbeddings({ url: need(url, 'address'), key, model });
  return { embed: guardCall(embed, newGuard(silent, 'chat', life)) };
}

/** The usual model has the usual price, unless the operator gives it another. */
function listModels({ provider, model, models = [] }: ChosenProviders['ai']): PricedModel[] {
  const name = model ?? provider;
  const price = models.find((each) => each.name === name)?.price ?? 1_000 / TOKENS_PER_CREDIT;
  return [{ name, price }, ...models.filter((each) => each.name !== name)];
}

function openImages(settings: ProviderSettings, chosen: ChosenProviders['images']) {
  const life = newLife();
  const guard = newGuard(settings, 'images', life);
  const { generate } = chooseImages(chosen);
  return {
    provider: { generate: guardCall(generate, guard) },
    isDemo: chosen.url === undefined,
    circuit: guard.circuit,
    life,
  };
}

function openImageSearch(settings: ProviderSettings, chosen: ChosenProviders['imageSearch']) {
  const life = newLife();
  const guard = newGuard(settings, 'image-search', life);
  const { search } = chooseImageSearch(settings, chosen);
  return {
    provider: { search: guardCall(search, guard) },
    isDemo: chosen.provider === 'demo',
    circuit: guard.circuit,
    life,
  };
}

function chooseAi({
  provider,
  url,
  key,
  model,
  visionModel,
}: ChosenProviders['ai']): AiProvider | (ChatProvider & VisionProvider) {
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

function chooseImages({ url, key, model }: ChosenProviders['images']): ImageProvider {
  return url === undefined ? demoImages : createOpenAiImages({ url, key, model: need(model, 'model') });
}

function chooseImageSearch(
  { baseUrl, demoImageUrl }: ProviderSettings,
  imageSearch: ChosenProviders['imageSearch'],
): ImageSearchProvider {
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
