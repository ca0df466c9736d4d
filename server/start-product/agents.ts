import type { AgentFunction } from '../../contract/pages/page-functions.ts';
import { pageAddress } from '../../contract/pages/pages.ts';
import type { StorageType } from '../../contract/rules/storage-modes.ts';
import { AppError } from '../lib/errors.ts';
import type { Actor, Caller } from '../platform/http/index.ts';
import type { Db, PageRow } from '../platform/storage/index.ts';
import type { Accounts } from '../product/accounts/index.ts';
import { agentSpecRoutes, createKeepBefore, describePage, pageText } from '../product/agents/index.ts';
import { type BuilderSlice, createBuilder } from '../product/builder/index.ts';
import { type Credits, readCredits } from '../product/credits/index.ts';
import { type Data, describeToolAccess, readSchemas } from '../product/data/index.ts';
import {
  describeFunctions,
  findPublicFunctions,
  listFunctionsOfPage,
  listPagesOfFunction,
} from '../product/functions/index.ts';
import type { History } from '../product/history/index.ts';
import type { OAuth } from '../product/oauth/index.ts';
import {
  calledFunctions,
  findAgentFunctions,
  PageClosed,
  type PageDirectory,
} from '../product/pages/index.ts';
import type { Platform } from '../start-platform.ts';
import type { startProviders } from './visitors.ts';

/** What agents learn about a page. */
export function describingPages({ db, baseUrl }: Platform) {
  const context = {
    db,
    baseUrl,
    readSchemas: (pageId: number) => readSchemas(db, pageId),
    listFunctions: async (page: PageRow) =>
      describeFunctions(db, page, [
        ...new Set([...(await listFunctionsOfPage(db, page)), ...(await calledFunctions(db, page.id))]),
      ]),
  };
  return {
    ...context,
    async describe(page: PageRow) {
      const described = await describePage(context, page);
      return pageText({ ...described, url: pageAddress(baseUrl, page) }, { baseUrl, id: page.id });
    },
  };
}

export function startSpecs(
  platform: Platform,
  others: { accounts: Accounts; directory: PageDirectory; data: Data },
) {
  const { accounts, directory, data } = others;
  return agentSpecRoutes({
    ...platform,
    ...describingPages(platform),
    readOwnSchemas: data.readOwnSchemas,
    pages: directory,
    chargeUsage: accounts.chargeUsage,
  });
}

/** Builds pages with the tools of agents. It is connected to them when all routes are known. */
export function startBuilder(
  platform: Platform,
  others: { directory: PageDirectory; credits: Credits; providers: ReturnType<typeof startProviders> },
): BuilderSlice {
  const { db } = platform;
  const { directory, credits, providers } = others;
  return createBuilder({
    ...platform,
    // An administrator can connect another model at any time.
    get turns() {
      return providers.turns;
    },
    credits,
    readCredits: (userId) => readCredits(db, userId),
    requireWritable: async (actor, pageId) =>
      directory.require(db, await directory.find(db, String(pageId)), actor, 'write'),
  });
}

/** The functions that a page offers to agents, if they are public and still belong to its owner. */
export async function readAgentFunctions(db: Db, page: PageRow): Promise<AgentFunction[]> {
  const named = await findAgentFunctions(db, page.id);
  const slugs = named.map(({ slug }) => slug);
  const known = new Set(await findPublicFunctions(db, page, slugs));
  return named.filter(({ slug }) => known.has(slug));
}

/** Keeps moments before agents change data of pages. */
export function keepBeforeAgents(
  { db }: Platform,
  others: { directory: PageDirectory; history: History; oauth: OAuth },
) {
  const { directory, history, oauth } = others;
  const { readAppName } = oauth;
  return createKeepBefore({
    db,
    pages: directory,
    moments: history.keeper,
    listPagesOfFunction,
    readAppName,
  });
}

/** What the MCP servers of pages need to know about them. */
export function forPageServers(platform: Platform, others: { directory: PageDirectory; oauth: OAuth }) {
  const { config, log, db } = platform;
  const { directory, oauth } = others;
  // MCP clients log their user in when they get this error.
  const seeOrLogIn = (tx: Db, page: PageRow | undefined, caller: Caller) =>
    directory.see(tx, page, caller).catch((error: unknown) => {
      const isForUsers = error instanceof PageClosed && error.reason === 'login needed';
      throw isForUsers ? new AppError('UNAUTHORIZED', error.text.text, error.text.values) : error;
    });
  return {
    ...config,
    log,
    db,
    pages: { find: (tx: Db, idOrSlug: string) => directory.find(tx, idOrSlug), see: seeOrLogIn },
    isOriginOfApp: oauth.isOriginOfApp,
    readSchemas: (pageId: number) => readSchemas(db, pageId),
    readAgentFunctions: (page: PageRow) => readAgentFunctions(db, page),
    describeToolAccess: async (page: PageRow, storageType: StorageType, actor: Actor | undefined) =>
      describeToolAccess(storageType, actor, await directory.resolveRole(db, page, actor)),
  };
}
