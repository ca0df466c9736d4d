/**
 * One part of a chat response: a piece of text or, as the last part, the usage. `hidden` is what the model writes and
 * nobody reads as text, such as reasoning: it is paid for too.
 */
export type ChatPart =
  | { type: 'text'; text: string }
  | { type: 'hidden'; letters: number }
  | { type: 'usage'; inputTokens: number; outputTokens: number };

/** A picture that has been checked. */
export interface Picture {
  bytes: Uint8Array;
  contentType: string;
}

/** A chat request: the page's instructions, the messages so far, and the maximum length of the response. */
export interface ChatRequest {
  system: string;
  messages: TurnMessage[];
  maxTokens: number;
  /** Aborted when the visitor leaves or the time is over. */
  signal: AbortSignal;
  /** Another model than the usual one. */
  model?: string | undefined;
  tools?: ModelTool[] | undefined;
  /** The JSON Schema that the response has to fit, as JSON. */
  responseFormat?: Record<string, unknown> | undefined;
}

/**
 * Responds with text, or with calls of tools if there are any. Parts arrive as the provider generates them. One part of
 * type `usage` comes at the end.
 */
export interface ChatProvider {
  chat(request: ChatRequest): AsyncIterable<TurnPart>;
}

/** A tool that a model can call. Its arguments are described as JSON Schema. */
export interface ModelTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** A call that a model wants to be made. */
export interface ToolCall {
  id: string;
  name: string;
  /** The arguments, which nobody has checked. Undefined if the model did not write a JSON object. */
  input: Record<string, unknown> | undefined;
}

/** One message of a conversation with tools. Results follow the calls they belong to. */
export type TurnMessage =
  | { role: 'user'; content: string; images?: Picture[] | undefined }
  | { role: 'assistant'; content: string; calls: ToolCall[] }
  | { role: 'tool'; results: { id: string; name: string; content: string }[] };

/**
 * One part of a turn. The name of a tool comes before its arguments, which can take long to write and arrive as pieces
 * of their JSON. `id` is the one that the call has.
 */
export type TurnPart =
  | ChatPart
  | { type: 'tool started'; id: string; name: string }
  | { type: 'tool input'; id: string; text: string }
  | { type: 'tool call'; call: ToolCall };

interface TurnRequest {
  system: string;
  messages: TurnMessage[];
  tools: ModelTool[];
  maxTokens: number;
  signal: AbortSignal;
}

/** Takes one turn in a conversation with tools. The caller makes the calls, and asks for the next turn. */
export interface TurnProvider {
  turn(request: TurnRequest): AsyncIterable<TurnPart>;
}

/** Why no model with tools can be asked. */
export type NoTurns = 'demo provider' | 'no tools';

/** The aspect ratios that a picture can have. */
export type AspectRatio = '1:1' | '16:9' | '9:16' | '4:3' | '3:4';

export interface ImageRequest {
  prompt: string;
  aspectRatio: AspectRatio;
  signal: AbortSignal;
  /** Fetches a public address. Vendors can answer with the address of a picture, which can be any. */
  fetchExternal: FetchPublic;
}

export type FetchPublic = (
  address: string,
  options: { signal: AbortSignal; maxBytes: number; accept: string },
) => Promise<{ status: number; bytes: Uint8Array }>;

/** Generates pictures. The bytes are as the provider sent them and have not been checked. */
export interface ImageProvider {
  generate(request: ImageRequest): Promise<Uint8Array>;
}

/** Describes a picture that has already been checked. */
export interface VisionProvider {
  describe(request: { prompt: string; image: Picture; signal: AbortSignal }): Promise<string>;
}

/** Turns texts into vectors: texts that mean the same are near each other. */
export interface EmbeddingProvider {
  embed(request: { texts: string[]; signal: AbortSignal }): Promise<{ vectors: number[][]; tokens: number }>;
}

/** Why there are no embeddings: the vendor has none, or nobody has named a model. */
export type NoEmbeddings = 'no endpoint' | 'no model';

/** What a vendor's model can do. */
export type AiProvider = ChatProvider & TurnProvider & VisionProvider;

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
