/** What `createProviders` takes, and what it gives. */
export type { ProviderSettings, Providers } from './create.ts';
/** Makes the four providers from the settings, each behind its deadlines and a circuit of its own. */
export { createProviders } from './create.ts';
/** Draw the picture of a demo search result: by query and place, or by the name its address was made from. */
export { drawDemoImage, drawDemoImageByName } from './demo/search.ts';
/** What a provider could not do: `failed` or `timeout`, with a message that may be shown. */
export { ProviderError } from './failures.ts';
/** What can be asked of each kind of provider. */
export type {
  AspectRatio,
  ChatPart,
  ChatProvider,
  ChatRequest,
  FoundImage,
  ImageProvider,
  ImageSearchProvider,
  VisionProvider,
} from './provider.ts';
/** About how many tokens a text is: for what was made when the visitor left before the provider had counted. */
export { estimateTokens } from './usage.ts';
