/** The input and the result of `createProviders`. */
export type { ChosenProviders, ProviderSettings, Providers } from './create.ts';
/** Creates the four providers from the settings, each with its own deadlines and circuit breaker. */
export { createProviders } from './create.ts';
/** Draw the picture of a demo search result: by query and index, or by the name in its URL. */
export { drawDemoImage, drawDemoImageByName } from './demo/search.ts';
/** A failed call to a provider: `failed` or `timeout`, with a message that can be shown. */
export { ProviderError } from './failures.ts';
/** The model servers on this machine, and the models of a server. */
export { findModelServers, listModels } from './model-servers.ts';
/** The interface of each kind of provider. */
export type {
  AspectRatio,
  ChatPart,
  ChatProvider,
  ChatRequest,
  EmbeddingProvider,
  FetchPublic,
  FoundImage,
  ImageProvider,
  ImageRequest,
  ImageSearchProvider,
  ModelTool,
  NoEmbeddings,
  NoTurns,
  ToolCall,
  TurnMessage,
  TurnPart,
  TurnProvider,
  VisionProvider,
} from './provider.ts';
/** Estimates the tokens of a text, for when the visitor left before the provider reported its usage. */
export { estimateTokens, toTokens } from './usage.ts';
