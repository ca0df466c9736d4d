import { DOCUMENTS } from './mcp/documents.ts';
import type { AgentContext } from './mcp/offer.ts';
import {
  allowedEndpoints,
  createCallTool,
  describeTool,
  TOOLS,
  type Tool,
  type ToolCaller,
} from './mcp/tools/index.ts';

/** Documents that are too long for a model. */
const TOO_LONG = new Set(['openapi.json']);

/** The tools of agents, for another part of the service that works on behalf of a caller. */
export interface Toolbox {
  /** Describes a tool. Undefined if the scopes do not allow it. */
  describe(
    name: string,
    scopes: readonly string[],
  ): { description: string; inputSchema: Record<string, unknown> } | undefined;
  call(
    name: string,
    input: Record<string, unknown>,
    exchange: { caller: ToolCaller; signal: AbortSignal },
  ): Promise<{ text: string; data: unknown; isError: boolean }>;
  /** The guides, by name. */
  documents: Record<string, { about: string; path: string }>;
}

export function createToolbox(context: AgentContext): Toolbox {
  const callTool = createCallTool(context);
  const tools = new Map(TOOLS.map((tool) => [tool.name, tool]));
  const need = (name: string): Tool => {
    const tool = tools.get(name);
    if (!tool) throw new Error(`there is no tool ${name}`);
    return tool;
  };
  return {
    describe(name, scopes) {
      const tool = need(name);
      if (allowedEndpoints(tool, scopes).length === 0) return undefined;
      const { description = '', inputSchema } = describeTool(tool, scopes);
      return { description, inputSchema };
    },
    async call(name, input, { caller, signal }) {
      const result = await callTool(need(name), input, { caller, signal, progress: undefined });
      const { content, structuredContent, isError = false } = result;
      return { text: content[0].text, data: structuredContent.data ?? structuredContent.failure, isError };
    },
    documents: Object.fromEntries(Object.entries(DOCUMENTS).filter(([name]) => !TOO_LONG.has(name))),
  };
}
