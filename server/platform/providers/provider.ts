/** One thing a chat says: a piece of text, or, last, what it has used. */
export type ChatPart =
  | { type: 'text'; text: string }
  | { type: 'usage'; inputTokens: number; outputTokens: number };

/** What is asked of a chat: the page's instructions, what was said so far, and the most it may answer. */
export interface ChatRequest {
  system: string;
  messages: Array<{ role: 'user' | 'assistant'; content: string }>;
  maxTokens: number;
  /** Aborted when the visitor leaves or the time is over. */
  signal: AbortSignal;
}

/** Answers in words. The parts come as the provider makes them; a part of the kind `usage` comes once, at the end. */
export interface ChatProvider {
  chat(request: ChatRequest): AsyncIterable<ChatPart>;
}

/** The shapes that a picture can be asked for in. */
export type AspectRatio = '1:1' | '16:9' | '9:16' | '4:3' | '3:4';

/** Makes pictures. The bytes are as the provider sent them: nobody has looked at them yet. */
export interface ImageProvider {
  generate(request: { prompt: string; aspectRatio: AspectRatio; signal: AbortSignal }): Promise<Uint8Array>;
}

/** Says what is on a picture that has been checked already. */
export interface VisionProvider {
  describe(request: {
    prompt: string;
    image: { bytes: Uint8Array; contentType: string };
    signal: AbortSignal;
  }): Promise<string>;
}

/** A picture found elsewhere, in the contract's words. */
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
