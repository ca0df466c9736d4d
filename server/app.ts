import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { HealthFields } from '../contract/service.ts';
import packageJson from '../package.json' with { type: 'json' };
import { createFrontDoor, type FrontDoor } from './front-door.ts';
import { FRONT_DOOR_ROUTES } from './front-door-routes.ts';
import { Sweeper } from './lib/sweeper.ts';
import { askBucket, diskBlobs, KeptBlobs, s3Blobs } from './platform/blobs/index.ts';
import { startCells } from './platform/cells/index.ts';
import type { Config } from './platform/config/index.ts';
import { createBroadcast, createEvents, startHolders } from './platform/coordination/events/index.ts';
import { createLimits } from './platform/coordination/limits/index.ts';
import { redisPrefix, startRedis } from './platform/coordination/redis/index.ts';
import { dashboardRoutes } from './platform/dashboard-site/index.ts';
import {
  createCookieJar,
  createRespondToError,
  EventStreams,
  type Handler,
  type Log,
  mount,
  type Route,
} from './platform/http/index.ts';
import {
  createHealth,
  createReadiness,
  holds,
  occasionalCheck,
  shareCheck,
} from './platform/operations/health/index.ts';
import { serviceRoutes, startVitals } from './platform/operations/index.ts';
import {
  countBlobs,
  countEvents,
  countLimits,
  createRequestCounts,
  describeParts,
  startProcessFigures,
} from './platform/operations/metrics/index.ts';
import { createProviders } from './platform/providers/index.ts';
import { leaseNode, readSecret, startStorage, toAppError } from './platform/storage/index.ts';
import { adminRoutes } from './product/admin/index.ts';
import { agentRoutes } from './product/agents/index.ts';
import { createBackups } from './product/backup/index.ts';
import type { DataEvent } from './product/data/index.ts';
import { DEMO_IMAGES, imageKey } from './product/features/index.ts';
import { fileKey } from './product/teams/index.ts';
import { forAdministrators, type Platform, startSlices } from './slices.ts';

const SWEEP_EVERY_MS = 3600 * 1000;
/** How long those who ask whether we are well wait for the database. */
const CHECK_MS = 1_500;
/** Those who probe a node give it a second, by default, and take it out when it needs longer. */
const PROBE_MS = 500;

/** A bucket is asked when somebody wants to know, but not each time: some are paid by the question. */
const BUCKET = { everyMs: 2_000, lateMs: 2_000 };

/** The whole service, ready to answer. */
export interface App {
  fetch: FrontDoor;
  /** Every endpoint behind the front door, as it is mounted; for whoever has to look at all of them. */
  routes: readonly Route[];
  /** What is active, for the banner and for `/healthz`. */
  health(): Promise<HealthFields>;
  /** The way to the first administrator, while there is none. */
  makeSetupLink(): Promise<string | undefined>;
  /** From now on the node says that it is about to stop; it answers all the same. */
  drain(): void;
  /** Ends answers that go on until their reader leaves; to be called before those under way are waited for. */
  endStreams(): void;
  /** Everything there is, as one archive. */
  backUp(): ReadableStream<Uint8Array>;
  stop(): Promise<void>;
}

/** The table of contents: build the floor, build the slices, mount the routes, in order. */
export async function startApp(options: { config: Config; log: Log; now?: () => number }): Promise<App> {
  const { config, log, now = Date.now } = options;

  // The floor.
  const storage = await startStorage({ ...config, tell: (sentence) => log.warn(sentence) });
  const { db } = storage;
  const node = await leaseNode({
    ...config,
    storage,
    address: config.cluster?.address,
    warn: (sentence) => log.warn(sentence),
  });
  const key = readSecret(config.dataFolder, config.secret);
  const cookies = createCookieJar(config.baseUrl.startsWith('https:'));
  const redis =
    config.redisUrl === undefined
      ? undefined
      : await startRedis({ url: config.redisUrl, prefix: redisPrefix(key), log });
  const limits = countLimits(createLimits(redis));
  const broadcast = createBroadcast(redis);
  const events = countEvents(createEvents<DataEvent>(broadcast, redis));
  const streams = new EventStreams();
  const respondToError = createRespondToError({ baseUrl: config.baseUrl, log, translate: toAppError });
  const blobs = countBlobs(config.s3 ? s3Blobs(config.s3) : diskBlobs(join(config.dataFolder, 'blobs')));
  const kept = new KeptBlobs({ storage, blobs, log, now });
  const checkWithin = (milliseconds: number) =>
    shareCheck(storage.check, milliseconds, 'The database does not answer right now.');
  const checkDatabase = checkWithin(CHECK_MS);
  const readiness = createReadiness({
    database: checkWithin(PROBE_MS),
    ...(redis && { redis: holds(() => redis.isReceiving) }),
    ...(config.s3 && { bucket: occasionalCheck(askBucket(config.s3), BUCKET) }),
    ...(config.cluster && { databases: holds(() => hasAllHosts()) }),
  });
  const cells = await startCells({
    ...config,
    limits: config.cellLimits,
    assertKeepsDatabases: node.assertKeepsDatabases,
    onLine: (line) => log.debug({ line }, 'workerd'),
    tell: (message) => log.warn(message),
  });
  const hasAllHosts = () => {
    const { running, wanted } = cells.databases.status();
    return running === wanted;
  };

  // The slices.
  const providers = createProviders({
    ...config,
    demoImageUrl: (name) => `${config.baseUrl}${DEMO_IMAGES}${name}`,
  });
  const platform: Platform = {
    config,
    log,
    now,
    storage,
    key,
    cookies,
    limits,
    broadcast,
    events,
    streams,
    respondToError,
    kept,
    cells,
    providers,
  };
  const slices = await startSlices(platform);
  const { accounts, credits, directory, functions, pages, teams } = slices;

  const vitals = startVitals({ dataFolder: config.dataFolder, cells: () => cells.pool.size, now });
  const backups = createBackups({
    storage,
    log,
    now,
    kept,
    databases: cells.databases,
    blobKeys: { team_files: fileKey, images: imageKey },
    key,
    isKeyGiven: config.secret !== undefined,
    version: packageJson.version,
    baseUrl: config.baseUrl,
  });

  const holders =
    config.cluster && redis
      ? startHolders({
          redis,
          address: config.cluster.address,
          lastUses: () => cells.databases.status().lastUses,
        })
      : undefined;
  const health = createHealth({ config, storage, checkDatabase, redis, cells });

  // What is measured.
  const metrics = new Registry();
  const requests = createRequestCounts();
  requests.register(metrics);
  describeParts(metrics, {
    storage,
    redis,
    blobs,
    limits,
    events,
    streams,
    cells,
    pages,
    credits,
    providers,
    readiness,
  });
  const processFigures = startProcessFigures(metrics);

  // The routes.
  const routes = [
    ...accounts.routes,
    ...credits.routes,
    ...pages.routes,
    ...teams.routes,
    ...functions.routes,
    ...slices.data.routes,
    ...slices.features,
    ...slices.specs,
    ...adminRoutes({
      ...forAdministrators(platform),
      health,
      vitals,
      maxCells: config.maxCells,
      holders: holders?.list,
    }),
    ...backups.routes,
    ...dashboardRoutes({ ...config, sdkPath: pages.sdk.pathOf }),
  ];
  // Agents' tools come in by the same door as everybody else.
  const call: Handler = (request, visit) => handle(request, visit);
  const forAgents = agentRoutes({ ...config, version: packageJson.version, routes, call });
  const forService = serviceRoutes({
    described: FRONT_DOOR_ROUTES,
    ...config,
    routes,
    health,
    readiness,
    metrics,
  });
  const allRoutes = [...routes, ...forAgents, ...forService];
  const handle: Handler = mount(allRoutes, {
    baseUrl: config.baseUrl,
    cookies,
    identities: accounts.identities,
    log,
    findPageId: async (idOrSlug) => (await directory.find(db, idOrSlug))?.id,
    respondToError,
  });

  const sweeper = new Sweeper({
    everyMs: SWEEP_EVERY_MS,
    log,
    purges: {
      'expired sessions and tokens': accounts.purge,
      'expired invites': teams.purge,
      'old statistics and deleted databases': functions.purge,
    },
  });

  return {
    fetch: createFrontDoor({
      config,
      respondToError,
      handle,
      serving: pages.serving,
      sdk: pages.sdk,
      calls: functions.calls,
      readiness,
      requests,
    }),
    routes: allRoutes,
    health,
    makeSetupLink: accounts.setup.makeLink,
    drain: readiness.drain,
    endStreams: () => streams.end(),
    backUp: backups.start,
    async stop() {
      await sweeper.stop();
      vitals.stop();
      processFigures.stop();
      await backups.stop();
      const stopping = [pages.stop(), kept.stop(), credits.stop(), cells.stop().finally(functions.stop)];
      const outcomes = await Promise.allSettled(stopping);
      events.stop();
      await holders?.stop();
      await broadcast.stop();
      await redis?.stop();
      await node.stop();
      await storage.stop();
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}
