import type { RegistrationMode } from '../../../contract/accounts/registration-modes.ts';
import { PAGE_BODY_LIMIT } from '../../../contract/pages/pages.ts';
import { AppError } from '../../lib/errors.ts';
import { identifySender, type Log, type Route, readBearer, route } from '../../platform/http/index.ts';
import { catalogRoutes, sendText } from './catalogs.ts';
import { createLlmsTexts } from './llms.ts';
import { type AgentContext, createOwnerOffer } from './mcp/offer.ts';
import { McpEndpoint, type Offer } from './mcp/protocol/index.ts';
import { TOOL_GROUPS, type ToolCaller, type ToolGroup } from './mcp/tools/index.ts';

/** The largest MCP message: a page as an argument, and the message around it. */
const MCP_BODY_LIMIT = PAGE_BODY_LIMIT + 64 * 1024;

/** Changes what MCP servers offer, for another composition. */
export type ExtendOffer = <Caller>(offer: Offer<Caller>) => Offer<Caller>;
export type { Offer } from './mcp/protocol/index.ts';

/** Routes for agents: one text that describes everything, and the API as tools. */
export function agentRoutes(
  context: AgentContext & {
    registration(): Promise<RegistrationMode>;
    log: Log;
    /** True for the origin of the app that the caller's token belongs to. By default, only our origin is accepted. */
    isRegisteredOrigin?(origin: string, caller: ToolCaller): boolean | Promise<boolean>;
    extendOffer?: ExtendOffer;
  },
): Route[] {
  const llms = createLlmsTexts(context);
  const { extendOffer = (offer) => offer, isRegisteredOrigin = () => false } = context;
  const offer = extendOffer(createOwnerOffer(context));
  const mcp = new McpEndpoint({ ...context, offer, bodyLimit: MCP_BODY_LIMIT, isRegisteredOrigin });

  return [
    ...catalogRoutes({ ...context, llms }),
    route({
      method: 'GET',
      path: '/llms.txt',
      access: { kind: 'public' },
      summary: 'How an agent uses this service, in one text',
      handle: async ({ request }) => sendText(request, await llms(), 'text/plain; charset=utf-8'),
    }),
    // Cookies are never accepted here, so a page that poses as this host can do no more than a stranger.
    route({
      method: 'POST',
      path: '/mcp',
      access: { kind: 'management' },
      summary: 'The tools of the Model Context Protocol',
      bodyLimit: MCP_BODY_LIMIT,
      handle({ request, actor, address, requestId }) {
        const groups = readGroups(request);
        const caller = { actor, bearer: readBearer(request) ?? '', address, requestId, groups };
        return mcp.respond(request, { caller, name: identifySender(actor, address), address, requestId });
      },
    }),
  ];
}

/** The groups of tools that a client asks for with `?tools=`. Undefined if it wants all of them. */
function readGroups({ url }: Request): ToolGroup[] | undefined {
  const asked = new URL(url).searchParams.get('tools')?.split(',');
  if (!asked) return undefined;
  const unknown = asked.filter((name) => !TOOL_GROUPS.some((group) => group === name));
  if (unknown.length === 0) return TOOL_GROUPS.filter((group) => asked.includes(group));
  throw new AppError('BAD_REQUEST', 'tools: must be some of {groups}, with commas between them.', {
    groups: TOOL_GROUPS.join(', '),
  });
}

/** Keeps moments before agents change data of pages. */
export { createKeepBefore } from './mcp/keep-before.ts';
/** The MCP server of every page. */
export { pageServerRoute } from './page-server/index.ts';
/** Exports agent specs. */
export { exportSpec } from './privacy/export.ts';
export { agentSpecRoutes, describePage, pageText } from './spec/index.ts';
export { copySpec, freeSpec } from './spec/save.ts';
/** The bytes of the specs of pages. */
export { measureSpecs } from './spec/store.ts';
/** The scopes that apps of visitors can use on a page. */
export { usableScopes } from './spec/usable-scopes.ts';
/** The tools of agents, for other parts of the service. */
export { createToolbox } from './toolbox.ts';
