import { type Route, route, signedIn, type Visit } from '../../platform/http/index.ts';
import { llmsText } from './llms.ts';
import { DEFINITIONS } from './mcp/definitions.ts';
import { MCP_BODY_LIMIT, Mcp } from './mcp/mcp.ts';
import { createCallTool } from './mcp/run-tool.ts';
import { createTools } from './mcp/tools.ts';

/** For agents: one text that describes everything, and the API as tools. */
export function agentRoutes(context: {
  version: string;
  baseUrl: string;
  registration: 'open' | 'closed';
  /** The routes behind the tools. */
  routes: Route[];
  /** Handles a request as if it had come from outside. */
  call(request: Request, visit: Visit): Promise<Response>;
}): Route[] {
  const llms = llmsText(context);
  const tools = createTools(DEFINITIONS, context.routes);
  const mcp = new Mcp({ ...context, tools, callTool: createCallTool(context) });

  return [
    route({
      method: 'GET',
      path: '/llms.txt',
      access: { kind: 'public' },
      summary: 'How an agent uses this service, in one text',
      handle: ({ request }) => llms.respond(request),
    }),
    route({
      method: 'POST',
      path: '/mcp',
      access: { kind: 'management' },
      summary: 'The tools of the Model Context Protocol',
      bodyLimit: MCP_BODY_LIMIT,
      handle: ({ request, actor, address, requestId }) =>
        mcp.respond(request, signedIn(actor), { address, requestId }),
    }),
  ];
}

export { agentSpecRoutes } from './spec/index.ts';
export { copySpec, freeSpec } from './spec/save.ts';
