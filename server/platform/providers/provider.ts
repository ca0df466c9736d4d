/** One part of a chat response: a piece of text or, as the last part, the usage. */
export type ChatPart =
  | { type: 'text'; text: string }
  | { type: 'usage'; inputTokens: number; outputTokens: number };

/** A chat request: the page's instructions, the messages so far, and the maximum length of the response. */
export interface ChatRequest {
  system: string;
  messages: Array<{ role: 'user' | 'assistant'; content: string }>;
  maxTokens: number;
  /** Aborted when the visitor leaves or the time is over. */
  signal: AbortSignal;
}

/** Responds with text. Parts arrive as the provider generates them. One part of type `usage` comes at the end. */
export interface ChatProvider {
  chat(request: ChatRequest): AsyncIterable<ChatPart>;
}

/** The aspect ratios that a picture can have. */
export type AspectRatio = '1:1' | '16:9' | '9:16' | '4:3' | '3:4';

/** Generates pictures. The bytes are as the provider sent them and have not been checked. */
export interface ImageProvider {
  generate(request: { prompt: string; aspectRatio: AspectRatio; signal: AbortSignal }): Promise<Uint8Array>;
}

/** Describes a picture that has already been checked. */
export interface VisionProvider {
  describe(request: {
    prompt: string;
    image: { bytes: Uint8Array; contentType: string };
    signal: AbortSignal;
  }): Promise<string>;
}

/** A picture that a search found, with the contract's field names. */
export interface FoundImage {
  title: string;
  thumbnail: string;
  original: string;
  source: string;
  link: string;
  width: number;
  height: number;
}

/** Finds pictures. */
export interface ImageSearchProvider {
  search(request: { query: string; count: number; signal: AbortSignal }): Promise<FoundImage[]>;
}
