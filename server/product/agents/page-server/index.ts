import { idOrSlugParams } from '../../../../contract/fields.ts';
import {
  identifySender,
  type Log,
  type Route,
  readBearer,
  route,
  type Visit,
} from '../../../platform/http/index.ts';
import type { PageDirectory } from '../../ports.ts';
import { McpEndpoint, type Offer } from '../mcp/protocol/index.ts';
import { credentialsIn, type PageCaller } from './caller.ts';
import { createPageOffer, type PageOfferContext } from './offer.ts';
import { createRunPageTool } from './run.ts';

/** The largest message: a record or a small picture, and the message around it. */
const BODY_LIMIT = 2 * 1024 * 1024;

/** The additional dependencies of the route of page servers. */
interface PageServerContext extends PageOfferContext {
  log: Log;
  pages: Pick<PageDirectory, 'find' | 'see'>;
  /** True if a web page of this origin may use this token, because both belong to one app. */
  isOriginOfApp(token: string, origin: string): Promise<boolean>;
  /** Changes what the server of a page offers. */
  extendOffer?(offer: Offer<PageCaller>): Offer<PageCaller>;
  /** Handles a request as if it had come from outside. */
  call(request: Request, visit: Visit): Promise<Response>;
}

/** Every page is an MCP server, for its visitors. */
export function pageServerRoute(context: PageServerContext): Route {
  const { db, pages, isolation, extendOffer = (offer) => offer } = context;
  const run = createRunPageTool(context);
  const endpoint = new McpEndpoint<PageCaller>({
    ...context,
    offer: async (caller) => extendOffer(await createPageOffer({ ...context, run }, caller)),
    bodyLimit: BODY_LIMIT,
    async isRegisteredOrigin(origin, { visit, bearer }) {
      // Accept the page's own script, which has no origin in sandbox isolation.
      if (origin === visit.pageHost?.origin || (isolation === 'sandbox' && origin === 'null')) return true;
      return bearer !== undefined && context.isOriginOfApp(bearer, origin);
    },
  });
  return route({
    method: 'POST',
    path: '/p/:id/mcp',
    pathOnPageHost: '/mcp',
    access: { kind: 'page agent' },
    summary: 'The MCP server of a page: its data, functions and features as tools for its visitors',
    params: idOrSlugParams,
    bodyLimit: BODY_LIMIT,
    async handle({ params, request, actor, caller: sender, address, requestId, pageHost }) {
      const page = await pages.see(db, await pages.find(db, params.id), sender);
      const visit = { address, requestId, ...(pageHost && { pageHost }) };
      const visitor = { ...sender, pageId: page.id };
      const credentials = credentialsIn(request);
      const caller = { page, actor, visitor, bearer: readBearer(request), credentials, visit };
      return endpoint.respond(request, { caller, name: identifySender(actor, address), address, requestId });
    },
  });
}
