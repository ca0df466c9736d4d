import type {
  CallToolResult,
  CompleteRequestParams,
  GetPromptResult,
  Implementation,
  InputRequiredResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerCapabilities,
  ServerContext,
  Tool,
} from '@modelcontextprotocol/server';

/** One request of a client, as the parts of an offer see it. */
export interface Exchange<Caller> {
  caller: Caller;
  /** Aborts when the client cancels the request or disconnects. */
  signal: AbortSignal;
  /** Whether the client reads `structuredContent`. Otherwise the result of a tool is text. */
  isStructured: boolean;
  /** Reports progress. Undefined if the client did not ask for it. */
  progress: ((done: number, message: string) => void) | undefined;
  /** The SDK's context of the request. */
  context: ServerContext;
}

/** The result of a tool, or what it has to ask the client first. */
export type ToolOutcome = CallToolResult | InputRequiredResult;

/**
 * What one MCP server has to offer. The protocol does not know our tools, and the tools do not know the protocol: an
 * offer fails with an `AppError`, and another server is another offer.
 */
export interface Offer<Caller> {
  info: Implementation;
  /** Instructions for the model of this caller, which it gets when it connects. */
  instructions(caller: Caller): string;
  /** Capabilities in addition to those that follow from tools, resources and prompts. */
  capabilities?: ServerCapabilities;
  tools: {
    list(caller: Caller): Tool[];
    /** Fails if the caller must get another token first. The error becomes the status of the HTTP response. */
    admit?(name: string, input: Record<string, unknown>, caller: Caller): void;
    call(name: string, input: Record<string, unknown>, exchange: Exchange<Caller>): Promise<ToolOutcome>;
  };
  resources?: {
    /** Returns a page of the list. The cursor of the first page is undefined. */
    list(
      cursor: string | undefined,
      exchange: Exchange<Caller>,
    ): Promise<{ resources: Resource[]; nextCursor?: string }>;
    templates: ResourceTemplateType[];
    read(uri: string, exchange: Exchange<Caller>): Promise<ReadResourceResult>;
  };
  prompts?: {
    list: Prompt[];
    get(
      name: string,
      input: Record<string, string>,
      exchange: Exchange<Caller>,
    ): Promise<GetPromptResult | InputRequiredResult>;
  };
  /** Suggests values for an argument of a prompt or of a resource template. */
  complete?(params: CompleteRequestParams, exchange: Exchange<Caller>): Promise<string[]>;
}
