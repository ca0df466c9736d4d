import { servedEndpoints } from '../contract/pages/served-endpoints.ts';
import type { HealthFields } from '../contract/service.ts';
import packageJson from '../package.json' with { type: 'json' };
import { createFrontDoor, type FrontDoor } from './front-door.ts';
import { Sweeper } from './lib/loops/sweeper.ts';
import { purgeAudit } from './platform/audit/index.ts';
import { joinRoutes } from './platform/cluster/index.ts';
import type { Config } from './platform/config/index.ts';
import { type Handler, type Log, mount, type Route, type Sockets } from './platform/http/index.ts';
import { serviceRoutes } from './platform/operations/index.ts';
import { adminRoutes } from './product/admin/index.ts';
import { agentRoutes, createToolbox, type ExtendOffer, pageServerRoute } from './product/agents/index.ts';
import { GALLERY_STYLES, galleryCards } from './product/pages/index.ts';
import type { Shards } from './runtime/databases/index.ts';
import { dashboardRoutes } from './sites/dashboard-site/index.ts';
import { docsRoutes } from './sites/docs-site/index.ts';
import { templateRoutes } from './sites/templates/index.ts';
import { type Operations, startOperations } from './start-operations.ts';
import { type Platform, startPlatform } from './start-platform.ts';
import {
  forAdministrators,
  forPageServers,
  keepBeforeAgents,
  providerTests,
  type Slices,
  startSlices,
  storageSources,
} from './start-product/index.ts';

const SWEEP_EVERY_MS = 3600 * 1000;

/** The whole service, ready to serve requests. */
export interface App {
  fetch: FrontDoor;
  /** Handles the WebSockets that `fetch` opens. */
  webSocket: Sockets['handler'];
  /** Every endpoint behind the front door, for tests and tools that look at all of them. */
  routes: readonly Route[];
  /** The active parts, for the startup banner and `/healthz`. */
  health(): Promise<HealthFields>;
  /** A link that makes its visitor the first administrator, as long as there is none. */
  makeSetupLink(): Promise<string | undefined>;
  /** Whether a setup link can still be used. */
  isSetupLinkOpen(link: string): Promise<boolean>;
  /** From now on the node reports that it is about to stop, and claims no more runs. It keeps responding. */
  drain(): void;
  /** Ends streams and WebSockets, which would stay open until their readers leave. Call this before waiting for other responses. */
  endStreams(): void;
  /** The number of functions that run on a schedule or for their jobs now. */
  ownRuns(): number;
  /** A backup of all data, as one archive. */
  backUp(): ReadableStream<Uint8Array>;
  /** The shards of this node; undefined for one machine. */
  shards: Shards | undefined;
  /** Removes now what has expired, and accounts that are due. It also happens by itself, at intervals. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

/** The table of contents: start the platform, start the product, mount the routes. */
export async function startApp(options: {
  config: Config;
  log: Log;
  now?: () => number;
  /** Changes what the MCP servers offer. */
  extendOffer?: ExtendOffer;
  /** Called when somebody opens a screen of the service. */
  onScreen?(path: string): void;
}): Promise<App> {
  const platform = await startPlatform(options);
  const { config, readiness, respondToError, sockets, streams } = platform;
  const slices = await startSlices(platform);
  const { accounts, functions, pages } = slices;
  const operations = await startOperations(platform, slices);
  const { health, backups } = operations;
  const { routes, handle } = mountRoutes(platform, slices, operations, options);
  const sweeper = startSweeper(platform, slices);
  const fetch = createFrontDoor({
    config,
    respondToError,
    handle,
    serving: pages.serving,
    domains: pages.domains.table,
    sdk: pages.sdk,
    calls: functions.calls,
    readiness,
    requests: operations.requests,
    traces: platform.traces,
  });
  platform.browser.connect(fetch, sockets.handler);
  return {
    fetch,
    webSocket: sockets.handler,
    routes,
    health,
    makeSetupLink: accounts.setup.makeLink,
    isSetupLinkOpen: (link) => accounts.setup.isOpen(new URL(link).searchParams.get('code') ?? ''),
    drain: () => drainAll(platform, slices, operations),
    endStreams() {
      void slices.repairs.stop();
      void slices.builder.stop();
      streams.end();
      sockets.end();
    },
    ownRuns: () => functions.schedules.running() + functions.jobs.running(),
    backUp: backups.start,
    shards: platform.databases.shards,
    async sweep() {
      await sweeper.sweep();
      await slices.privacy.removals.sweep();
      await operations.reports.refresh();
    },
    async stop() {
      await sweeper.stop();
      await operations.stop();
      await stopAll(platform, slices);
    },
  };
}

/** Claims nothing more, so that other nodes can. */
function drainAll({ readiness, mail }: Platform, { functions }: Slices, { backups }: Operations): void {
  readiness.drain();
  functions.schedules.drain();
  functions.jobs.drain();
  backups.drain();
  mail.drain();
}

/** The endpoints of the product, which agents' tools can call too. */
function productRoutes(platform: Platform, slices: Slices, operations: Operations): Route[] {
  const { config } = platform;
  const { accounts, pages } = slices;
  return [
    ...accounts.routes,
    ...slices.oauth.routes,
    ...slices.credits.routes,
    ...slices.privacy.routes,
    ...pages.routes,
    ...slices.teams.routes,
    ...slices.forms.routes,
    ...slices.analytics.routes,
    ...slices.functions.routes,
    ...slices.data.routes,
    ...slices.history.routes(),
    ...slices.branches.routes(),
    ...slices.live.routes,
    ...slices.checks.routes,
    ...slices.attack.routes,
    ...slices.features.routes,
    ...slices.specs,
    ...slices.builder.routes,
    ...slices.repairs.routes,
    ...slices.pageReports.routes,
    ...slices.home,
    ...slices.imports.routes,
    ...slices.trials.routes,
    ...adminRoutes({
      ...forAdministrators(platform, slices),
      storage: storageSources(platform),
      providers: providerTests(platform, slices),
      health: operations.health,
      vitals: operations.vitals,
      maxCells: config.maxCells,
      securityContact: config.securityContact,
      hasBackupSchedule: config.backups.schedule !== undefined,
      holders: operations.holders?.list,
      replica: platform.replica,
    }),
    ...operations.backups.routes,
    ...templateRoutes(slices.imports.templates),
    ...dashboardRoutes({
      ...config,
      ...platform.serviceSettings.forReaders,
      instance: platform.instance,
      ...{ templates: slices.imports.templates, offersBuilder: slices.offersBuilder },
      gallery: {
        list: (query) => pages.gallery.list(query),
        toCards: galleryCards,
        styles: GALLERY_STYLES,
      },
      sdkPath: pages.sdk.findPath,
    }),
  ];
}

function mountRoutes(
  platform: Platform,
  slices: Slices,
  operations: Operations,
  { extendOffer, onScreen }: Pick<Parameters<typeof startApp>[0], 'extendOffer' | 'onScreen'>,
) {
  const { config, cookies, log, readiness, respondToError, sockets, storage, streams } = platform;
  const { accounts, directory } = slices;
  const product = productRoutes(platform, slices, operations);
  const service = [...serviceRoutes({ ...config, ...operations, readiness }), ...joinRoutes(platform)];
  // Agents' tools call the API in the same way as everyone else.
  const call: Handler = (request, visit) => handle(request, visit);
  const agents = {
    ...{ ...config, version: packageJson.version, call, keepBefore: keepBeforeAgents(platform, slices) },
    ...(extendOffer && { extendOffer }),
  };
  slices.builder.connect({ call, toolbox: createToolbox(agents) });
  slices.functions.connect({ call, ai: slices.features.ai });
  for (const slice of [slices.imports, slices.trials, slices.attack]) slice.connect({ call });
  void slices.repairs.connect({ call });
  const routes = [
    ...product,
    ...agentRoutes({
      ...agents,
      ...platform.serviceSettings.forReaders,
      log,
      isRegisteredOrigin: (origin, { bearer }) => slices.oauth.isOriginOfApp(bearer, origin),
    }),
    pageServerRoute({ ...forPageServers(platform, slices), ...agents }),
    ...service,
    ...docsRoutes({
      baseUrl: config.baseUrl,
      version: packageJson.version,
      routes: [...product, ...service],
      described: Object.values(servedEndpoints),
    }),
  ];
  const handle: Handler = mount(routes, {
    baseUrl: config.baseUrl,
    cookies,
    identities: accounts.identities,
    log,
    findPageId: async (idOrSlug) => (await directory.find(storage.db, idOrSlug))?.id,
    respondToError,
    sockets,
    streams,
    isDiskLow: () => platform.disk.isLow,
    trialShare: platform.trialShare,
    assertNotProtected: slices.protection.assertAllowed.bind(slices.protection),
    onScreen,
  });
  return { routes, handle };
}

function startSweeper(platform: Platform, slices: Slices): Sweeper {
  const { accounts, analytics, checks, pages, oauth, teams, functions } = slices;
  return new Sweeper({
    everyMs: SWEEP_EVERY_MS,
    log: platform.log,
    purges: {
      'expired sessions and tokens': accounts.purge,
      'warnings that storage is almost full': accounts.warnOfQuotas,
      'expired codes and connections of apps': oauth.purge,
      'expired invites': teams.purge,
      'trials that have ended': () => slices.trials.sweep(),
      'old moments': (isStopping) => slices.history.purge(isStopping),
      'branches that nobody uses': (isStopping) => slices.branches.purge(isStopping),
      'expired screenshots': checks.purge,
      'unclaimed pages, and slugs that are no longer reserved': pages.purge,
      'old statistics and deleted databases': functions.purge,
      'old page statistics and errors': analytics.purge,
      'old repairs': slices.repairs.purge,
      'old reports of pages': (isStopping) => slices.pageReports.purge(isStopping),
      'old entries of the record log': slices.data.purge,
      'mail that was sent or given up': (isStopping) => platform.mail.purge(isStopping),
      'old entries of the audit log': () => purgeAudit(platform),
      // Last, because DNS servers can be slow.
      'domains that are no longer proven': pages.domains.recheck,
    },
  });
}

/** Stops writers before the storage they write to. */
async function stopAll(
  platform: Platform,
  { accounts, analytics, builder, checks, credits, history, ...slices }: Slices,
): Promise<void> {
  const { broadcast, browser, bundler, disk, events, kept, mail, node, redis, relay, storage } = platform;
  const { data, functions, imports, live, pages, privacy, trials } = slices;
  // It has a time limit of its own, and nothing waits for the collector until the end.
  const traced = platform.traces?.stop();
  // A repair that is ended removes its branch, for which everything else is needed.
  await slices.repairs.stop();
  await slices.attack.stop();
  await builder.stop();
  await slices.branches.stop();
  await history.stop();
  disk.stop();
  await trials.stop();
  await data.stop();
  await checks.stop();
  await slices.pageReports.stop();
  imports.stop();
  bundler.cancel();
  await browser.stop();
  await privacy.stop();
  const outcomes = await Promise.allSettled([
    pages.stop(),
    analytics.stop(),
    kept.stop(),
    mail.stop(),
    credits.stop(),
    accounts.stop(),
    Promise.all([functions.schedules.stop(), functions.jobs.stop()])
      .then(platform.stopRuntime)
      .finally(functions.stop),
  ]);
  bundler.stop();
  events.stop();
  live.stop();
  await relay.stop();
  await broadcast.stop();
  platform.stopWatching();
  await redis?.stop();
  await platform.auditStream?.stop();
  platform.links?.stop();
  await node.stop();
  await storage.stop();
  // It ships what was written last.
  await platform.replica?.stop();
  await traced;
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
