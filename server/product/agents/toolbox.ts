import type { AgentContext } from './mcp/offer.ts';
import {
  allowedEndpoints,
  createCallTool,
  describeTool,
  TOOLS,
  type Tool,
  type ToolCaller,
} from './mcp/tools/index.ts';

/** Tokens of a result: more than other agents get, because each further turn costs all of the conversation again. */
const RESULT_TOKENS = 15_000;

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
      const exchange = { caller, signal, progress: undefined, tokens: RESULT_TOKENS };
      const { text, structured, isError } = await callTool(need(name), input, exchange);
      return { text, data: structured.data ?? structured.failure, isError };
    },
  };
}
