import { domainOrigin, pageAddress } from '../contract/pages.ts';
import { toCredits, toTokens } from '../contract/rules/credit-amounts.ts';
import type { StorageType } from '../contract/rules/storage-modes.ts';
import { AppError } from './lib/errors.ts';
import { type Actor, type Caller, createWhoIs } from './platform/http/index.ts';
import { createProviders } from './platform/providers/index.ts';
import type { Db, PageRow } from './platform/storage/index.ts';
import {
  type Accounts,
  confirmedEmailOf,
  createAccounts,
  listUsers,
  tokenLimits,
  usernameOf,
} from './product/accounts/index.ts';
import { agentSpecRoutes, copySpec, describePage, freeSpec, pageText } from './product/agents/index.ts';
import { createChecks, removeScreenshotsWithPage } from './product/checks/index.ts';
import { Credits, creditsOf, creditsOfMany, grant, openCreditAccount } from './product/credits/index.ts';
import {
  copySchemas,
  createData,
  demandFileAccess,
  freeRecords,
  schemasOf,
  toolAccessOf,
} from './product/data/index.ts';
import { createFeatures, DEMO_IMAGES, removeImagesWithPage } from './product/features/index.ts';
import { createForms } from './product/forms/index.ts';
import {
  describeFunctions,
  functionsKnownTo,
  hasFunction,
  publicFunctionsOf,
  startFunctions,
} from './product/functions/index.ts';
import { createLive } from './product/live/index.ts';
import { createOAuth, disconnectApps } from './product/oauth/index.ts';
import {
  calledFunctions,
  findAgentFunctions,
  findDocument,
  isOpen,
  measureHtml,
  PageClosed,
  PageDirectory,
  Passes,
  startPages,
} from './product/pages/index.ts';
import { createTeams, findRole } from './product/teams/index.ts';
import type { Platform } from './start-platform.ts';

export type Slices = Awaited<ReturnType<typeof startSlices>>;

/** Starts the slices of the product. They do not import each other: each gets here what it needs from the others. */
export async function startSlices(platform: Platform) {
  const { config, storage, limits, kept, cells } = platform;
  const { db } = storage;
  const providers = startProviders(platform);
  const directory = createDirectory(platform);
  const common = { ...platform, db, baseUrl: config.baseUrl };
  const credits = startCredits(platform, directory);
  const accounts = startAccounts(platform, directory, (userId) => live.loginsEnded(userId));
  const { identities, pageSessions, passwords, chargeUsage } = accounts;
  const data = createData({ ...common, pages: directory, chargeUsage });
  const live = startLive(platform, accounts, directory);
  const accessChanged = (pageId: number) => {
    data.accessChanged(pageId);
    live.accessChanged(pageId);
  };
  const teams = createTeams({
    ...common,
    pages: directory,
    chargeUsage,
    demandFileAccess,
    usernameOf: (userId) => usernameOf(db, userId),
    accessChanged,
  });
  const forms = createForms({ ...common, pages: directory, chargeUsage, htmlOf });
  const describing = describingPages(platform);
  const pages = await startPages({
    ...common,
    whoIs: createWhoIs({ ...common, identities }),
    directory,
    pageSessions,
    passwords,
    chargeUsage,
    copies: [copySpec(platform.now), copySchemas],
    removals: [freeRecords, freeSpec, teams.removeFiles, forms.removeWithPage, ...removePictures(kept)],
    functionsKnownTo: (userId, slugs) => functionsKnownTo(db, userId, slugs),
    describe: describing.describe,
    publicFunctionsOf,
    dataAccessOf: data.accessOf,
    hasFunction: (id) => hasFunction(db, id),
    onChange: accessChanged,
  });
  const functions = await startFunctions({ ...common, ...forFunctions(accounts, directory) });
  const checks = startChecks(platform, accounts, directory, pages);
  const features = createFeatures({
    ...common,
    limits,
    providers,
    credits,
    chargeUsage,
    fetchExternal: cells.fetchExternal,
    latestScreenshot: checks.latestScreenshot,
    pages: pagesForFeatures(directory, pages),
  });
  const specs = agentSpecRoutes({ ...common, pages: directory, ...describing, chargeUsage });
  const oauth = startOAuth(platform, accounts, directory, pages);
  const people = { accounts, oauth, credits, teams, forms };
  return { ...people, directory, providers, data, live, pages, functions, checks, features, specs };
}

function startProviders({ config }: Platform) {
  const demoImageUrl = (name: string) => `${config.baseUrl}${DEMO_IMAGES}${name}`;
  return createProviders({ ...config, demoImageUrl });
}

function startLive(platform: Platform, { findAgain }: Accounts, pages: PageDirectory) {
  const live = createLive({ ...platform, db: platform.storage.db, pages, findAgain });
  platform.cells.usePublish(live.publish);
  return live;
}

function createDirectory({ key, now }: Platform): PageDirectory {
  return new PageDirectory({ findRole, passes: new Passes({ key, now }), confirmedEmailOf, now });
}

async function htmlOf(db: Db, pageId: number): Promise<string> {
  return (await findDocument(db, { id: pageId }))?.html_content ?? '';
}

const removePictures = (kept: Platform['kept']) => [
  removeImagesWithPage({ kept }),
  removeScreenshotsWithPage({ kept }),
];

function startChecks(
  platform: Platform,
  { pageSessions }: Accounts,
  directory: PageDirectory,
  { serving }: Awaited<ReturnType<typeof startPages>>,
) {
  return createChecks({
    ...platform,
    db: platform.storage.db,
    makeCheckSession: pageSessions.makeForCheck,
    pages: {
      find: directory.find.bind(directory),
      require: directory.require.bind(directory),
      sendWithSession: serving.sendWithSession.bind(serving),
    },
  });
}

/** What agents learn about a page. */
function describingPages({ config, storage: { db } }: Platform) {
  const { baseUrl } = config;
  const context = {
    db,
    baseUrl,
    schemasOf: (pageId: number) => schemasOf(db, pageId),
    functionsOf: async (pageId: number) => describeFunctions(db, await calledFunctions(db, pageId)),
  };
  return {
    ...context,
    async describe(page: PageRow) {
      const described = await describePage(context, page);
      return pageText({ ...described, url: pageAddress(baseUrl, page) }, { baseUrl, id: page.id });
    },
  };
}

/** What functions learn about their owners, and about the pages and visitors that call them. */
function forFunctions(
  { identities, pageSessions, chargeUsage, remaining }: Accounts,
  directory: PageDirectory,
) {
  return {
    identities,
    visitors: pageSessions,
    chargeUsage,
    remaining,
    pages: {
      find: directory.find.bind(directory),
      see: directory.see.bind(directory) as PageDirectory['see'],
      refusal: directory.refusal.bind(directory),
      roleOf: directory.roleOf.bind(directory),
    },
  };
}

function pagesForFeatures(directory: PageDirectory, pages: Awaited<ReturnType<typeof startPages>>) {
  return {
    find: directory.find.bind(directory),
    see: directory.see.bind(directory),
    require: directory.require.bind(directory),
    isOpen,
    measureHtml,
    create: pages.create,
    fork: pages.fork,
    setPreviewImage: pages.setPreviewImage,
  };
}

function startCredits({ config, log, now, storage: { db } }: Platform, directory: PageDirectory): Credits {
  return new Credits({
    db,
    log,
    now,
    baseUrl: config.baseUrl,
    tokenLimits,
    usernameOf: (userId) => usernameOf(db, userId),
    pages: {
      async introduce(id, actor) {
        const page = await directory.find(db, String(id));
        return directory.introduce(db, page, { actor });
      },
      describe: (ids, actor) => directory.describe(db, ids, actor),
    },
  });
}

function startAccounts(platform: Platform, directory: PageDirectory, loginsEnded: (userId: number) => void) {
  const { config, now, storage, cells } = platform;
  const { db } = storage;
  return createAccounts({
    ...platform,
    db,
    databaseBytes: (userId) => cells.databases.databaseBytes(userId),
    openCredits: (tx, userId) =>
      openCreditAccount(tx, { userId, credits: config.creditsForNewUser, now: now() }),
    creditsOf: (userId) => creditsOf(db, userId),
    disconnectApps,
    loginsEnded,
    async domainBehind(path) {
      const slug = /^\/p\/([^/?#]{1,100})/.exec(path)?.[1];
      const page = slug === undefined ? undefined : await directory.find(db, slug);
      return page?.domain && page.is_published === 1 ? domainOrigin(config.baseUrl, page.domain) : undefined;
    },
  });
}

function startOAuth(
  platform: Platform,
  accounts: Accounts,
  directory: PageDirectory,
  { domains }: Awaited<ReturnType<typeof startPages>>,
) {
  const { storage, cells } = platform;
  const { db } = storage;
  return createOAuth({
    ...platform,
    db,
    logins: accounts.clientLogins,
    fetchExternal: cells.fetchExternal,
    pages: {
      async introduce(idOrSlug: string, actor: Actor | undefined) {
        const page = await directory.find(db, idOrSlug);
        return directory.introduce(db, page, { actor }).catch(orUndefined);
      },
      describe: (ids, actor) => directory.describe(db, ids, actor),
      ofDomain: async (domain) => domains.table.find(domain),
    },
  });
}

/** For a page that does not exist, or that this person cannot see. */
function orUndefined(error: unknown): undefined {
  if (error instanceof AppError && (error.code === 'NOT_FOUND' || error.code === 'FORBIDDEN'))
    return undefined;
  throw error;
}

/** What the MCP servers of pages need to know about them. */
export function forPageServers(platform: Platform, { directory, oauth }: Slices) {
  const { config, log, storage } = platform;
  const { db } = storage;
  // MCP clients log their user in when they get this error.
  const seeOrLogIn = (tx: Db, page: PageRow | undefined, caller: Caller) =>
    directory.see(tx, page, caller).catch((error: unknown) => {
      const isForUsers = error instanceof PageClosed && error.reason === 'login needed';
      throw isForUsers ? new AppError('UNAUTHORIZED', error.message) : error;
    });
  return {
    ...config,
    log,
    db,
    pages: { find: directory.find.bind(directory), see: seeOrLogIn },
    isOriginOfApp: oauth.isOriginOfApp,
    schemasOf: (pageId: number) => schemasOf(db, pageId),
    async agentFunctionsOf({ id, owner_id }: PageRow) {
      const named = await findAgentFunctions(db, id);
      const slugs = named.map(({ slug }) => slug);
      const known = new Set(await publicFunctionsOf(db, owner_id, slugs));
      return named.filter(({ slug }) => known.has(slug));
    },
    dataAccessOf: async (page: PageRow, storageType: StorageType, actor: Actor | undefined) =>
      toolAccessOf(storageType, actor, await directory.roleOf(db, page, actor)),
  };
}

/** What administrators can see and do with accounts and credits. */
export function forAdministrators({ now, storage: { db } }: Platform) {
  return {
    listUsers: (page: Parameters<typeof listUsers>[1]) => listUsers(db, page),
    creditsOf: (userIds: number[]) => creditsOfMany(db, userIds),
    async grantCredits(userId: number, credits: number, reason: string): Promise<number | undefined> {
      const balance = await grant(db, { userId, tokens: toTokens(credits), reason, now: now() });
      return balance === undefined ? undefined : toCredits(balance);
    },
  };
}
