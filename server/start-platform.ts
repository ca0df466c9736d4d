import { join } from 'node:path';
import type { ServiceKey } from './lib/secrets.ts';
import { AuditStream } from './platform/audit/index.ts';
import { announceBlobs, askBucket, diskBlobs, KeptBlobs, s3Blobs } from './platform/blobs/index.ts';
import { NodeLinks, readNetwork, readNodeKey } from './platform/cluster/index.ts';
import type { Config } from './platform/config/index.ts';
import {
  type Broadcast,
  createBroadcast,
  createEvents,
  createRelay,
} from './platform/coordination/events/index.ts';
import { createLimits } from './platform/coordination/limits/index.ts';
import { CutOffWatch, type Redis, redisPrefix, startRedis } from './platform/coordination/redis/index.ts';
import {
  createCookieJar,
  createRespondToError,
  EventStreams,
  type Log,
  Sockets,
  TrialShare,
} from './platform/http/index.ts';
import { Mail } from './platform/mail/index.ts';
import {
  ClockCheck,
  createReadiness,
  holds,
  occasionalCheck,
  shareCheck,
} from './platform/operations/health/index.ts';
import { DiskSpace } from './platform/operations/index.ts';
import { countBlobs, countEvents, countLimits } from './platform/operations/metrics/index.ts';
import { isLate, Replica } from './platform/replica/index.ts';
import {
  Connections,
  fixSetting,
  InstanceSettings,
  KeyRotation,
  readClusterKey,
  ServiceSettings,
  ShardWatch,
} from './platform/service-settings/index.ts';
import {
  type Db,
  leaseNode,
  readServiceKey,
  type Storage,
  startStorage,
  storageFailure,
  toAppError,
} from './platform/storage/index.ts';
import { Traces } from './platform/traces/index.ts';
import type { DataEvent } from './product/data/index.ts';
import {
  ClusterError,
  DatabaseSnapshots,
  NAMESPACE,
  type Shards,
  SnapshotMerger,
} from './runtime/databases/index.ts';
import { errorScreen } from './sites/screens/index.ts';
import { startRuntime } from './start-runtime.ts';

const NO_ANSWER = 'The database does not answer right now.';
/** How long a health check waits for the database. */
const CHECK_MS = 1_500;
/** Load balancers usually give a probe one second, and remove a node that takes longer. */
const PROBE_MS = 500;
/** Not every probe checks the bucket: some providers charge per request. */
const BUCKET_CHECK = { everyMs: 2_000, lateMs: 2_000 };

/** Everything below the product that starts and stops with the service. */
export type Platform = Awaited<ReturnType<typeof startPlatform>>;

interface PlatformOptions {
  config: Config;
  log: Log;
  /** A clock other than the one that all nodes share. */
  now?: (() => number) | undefined;
}

/** Starts the platform, each part after those it needs. */
export async function startPlatform(options: PlatformOptions) {
  const { config, log } = options;
  const warn = (sentence: string) => log.warn(sentence);
  const storage = await startStorage({ ...config, warn });
  const now = options.now ?? storage.clock.now;
  const { node, links } = await startNode({ config, storage, log });
  const disk = new DiskSpace({ ...config, log });
  const { key, rotation } = await startKey({ config, db: storage.db, log, now });
  const { redis, ...coordination } = await startCoordination({ config, key, log, db: storage.db, now });
  const replica = createReplica(config, log);
  const stored = config.s3 ? s3Blobs(config.s3) : diskBlobs(join(config.dataFolder, 'blobs'));
  const blobs = countBlobs(replica ? announceBlobs(stored, (key) => replica.noteFile(key)) : stored);
  const kept = new KeptBlobs({ storage, blobs, log, now });
  const cluster = await readCluster({ config, db: storage.db, key, now, links });
  const { assertKeepsDatabases } = node;
  const runtime = await startRuntime({ config: { ...config, cluster }, log, assertKeepsDatabases });
  const snapshots = new DatabaseSnapshots({ ...runtime, db: storage.db, kept, now });
  const checkWithin = (milliseconds: number) => shareCheck(storage.check, milliseconds, NO_ANSWER);
  const watched = watchNode({ config, log, storage, redis, rotation, now, shards: runtime.databases.shards });
  const readiness = createReadiness(
    {
      database: checkWithin(PROBE_MS),
      disk: holds(() => !disk.isLow),
      ...(replica && { replica: holds(() => !isLate(replica.state, Date.now())) }),
      ...(redis && { redis: holds(() => redis.isReceiving) }),
      ...(config.s3 && { bucket: occasionalCheck(askBucket(config.s3), BUCKET_CHECK) }),
      ...(config.cluster && { databases: holds(() => areHostsRunning(runtime)) }),
    },
    watched.faults,
  );
  return {
    ...options,
    now,
    ...coordination,
    stopWatching: watched.stop,
    storage,
    ...startTraces(config, log),
    ...{ db: storage.db, baseUrl: config.baseUrl, node, links, disk },
    /** The service's secret key. */
    key,
    redis,
    blobs,
    replica,
    kept,
    ...runtime,
    stopRuntime: stopAfterShipping(runtime, replica),
    snapshots,
    databaseMerger: new SnapshotMerger({ ...runtime, runtime: runtime.databases.runtime, snapshots }),
    readiness,
    mail: startMail({ ...config, db: storage.db, log, now }),
    auditStream: startAuditStream({ config, db: storage.db, log, now }),
    ...(await startSettings({ ...coordination, config, db: storage.db, key, now })),
    checkDatabase: checkWithin(CHECK_MS),
    cookies: createCookieJar(config.baseUrl.startsWith('https:')),
    streams: new EventStreams({ maxStreams: config.maxSockets }),
    sockets: new Sockets({ ...config, log }),
    trialShare: new TrialShare(coordination.limits),
    respondToError: createRespondToError({ ...config, log, translate: translateFor(disk), errorScreen }),
  };
}

/** `traces` is undefined if nothing is traced. */
function startTraces({ traces }: Config, log: Log): { traces: Traces | undefined } {
  return { traces: traces && new Traces({ ...traces, log }) };
}

function createReplica(config: Config, log: Log): Replica | undefined {
  const { replica: place, dataFolder, s3 } = config;
  return place && new Replica({ place, dataFolder, hasFiles: !s3, databasesInner: NAMESPACE, log });
}

/** What was written last is read from the databases while their hosts run. */
function stopAfterShipping(runtime: Awaited<ReturnType<typeof startRuntime>>, replica: Replica | undefined) {
  return async () => {
    await replica?.shipDatabases();
    await runtime.stopRuntime();
  };
}

function areHostsRunning({
  databases,
}: {
  databases: { status(): { running: number; wanted: number } };
}): boolean {
  const { running, wanted } = databases.status();
  return running === wanted;
}

/** Translates errors. A write that fails for lack of space shows it before the next look at the disk. */
function translateFor(disk: DiskSpace): typeof toAppError {
  return (error) => {
    if (storageFailure(error) === 'disk full') disk.look();
    return toAppError(error);
  };
}

/** Looks for what is wrong with this node and not with others. */
function watchNode(parts: {
  config: Config;
  log: Log;
  storage: Storage;
  redis: Redis | undefined;
  rotation: KeyRotation;
  now: () => number;
  shards: Shards | undefined;
}) {
  const { config, log, redis, rotation, shards } = parts;
  const { db } = parts.storage;
  const shardWatch = shards && new ShardWatch({ ...parts, ...config, db, open: shards.open });
  const { clock, link } = parts.storage;
  const clockCheck = new ClockCheck({ clock, log });
  const cutOff =
    config.cluster && redis && link ? new CutOffWatch({ redis, database: link.heartbeat }) : undefined;
  const isCutOff = () => cutOff?.isCutOff ?? false;
  if (link) link.patience.isCutOff = isCutOff;
  return {
    faults: { clock: () => clockCheck.isWrong(), database: isCutOff },
    stop() {
      clockCheck.stop();
      cutOff?.stop();
      rotation.stop();
      shardWatch?.stop();
    },
  };
}

async function startKey(options: { config: Config; db: Db; log: Log; now: () => number }) {
  const key = readServiceKey(options.config);
  return { key, rotation: await KeyRotation.start({ ...options, ...options.config, key }) };
}

/** Registers this node among those on the same PostgreSQL, and with QUIRE_CLUSTER_TLS connects it with them. */
async function startNode({ config, storage, log }: { config: Config; storage: Storage; log: Log }) {
  const { cluster, dataFolder } = config;
  const key = cluster?.hasTls ? readNodeKey(dataFolder) : undefined;
  const identity = key && { fingerprint: key.fingerprint, network: readNetwork() };
  const warn = (sentence: string) => log.warn(sentence);
  const node = await leaseNode({ storage, dataFolder, address: cluster?.address, identity, warn });
  const { number, listPeers } = node;
  if (!cluster || !key || !identity || number === undefined) return { node, links: undefined };
  const links = await NodeLinks.start({ ...cluster, ...identity, key, number, listPeers, log }).catch(
    async (error: unknown) => {
      await node.stop();
      throw error;
    },
  );
  return { node, links };
}

/** How this node joins its cluster. */
async function readCluster(options: {
  config: Config;
  db: Db;
  key: ServiceKey;
  now: () => number;
  links: NodeLinks | undefined;
}) {
  const { cluster } = options.config;
  if (!cluster) return undefined;
  const key = await readClusterKey(options.db, options.key, options.now());
  const { links } = options;
  if (key && links)
    return {
      ...cluster,
      key,
      address: links.hostsAddress,
      connect: (shards: number) => links.openShards(shards),
    };
  if (key) return { ...cluster, key };
  throw new ClusterError(
    'QUIRE_SECRET differs from that of the cluster with this database. Set it to the same value on every node.',
  );
}

/** What administrators set while the service runs. */
async function startSettings(options: {
  config: Config;
  db: Db;
  broadcast: Broadcast;
  key: ServiceKey;
  now: () => number;
}) {
  const { config } = options;
  const instance = new InstanceSettings({ ...options, baseUrl: config.baseUrl });
  const connections = new Connections(options);
  await instance.load();
  await connections.load();
  return { instance, connections, serviceSettings: new ServiceSettings({ ...config, ...options }) };
}

function startAuditStream(parts: { config: Config; db: Db; log: Log; now: () => number }) {
  const { auditLog: target, databaseUrl } = parts.config;
  if (!target) return undefined;
  const stream = new AuditStream({ ...parts, target, isPostgres: databaseUrl !== undefined });
  stream.start();
  return stream;
}

function startMail(options: ConstructorParameters<typeof Mail>[0]): Mail {
  const mail = new Mail(options);
  mail.start();
  return mail;
}

/** State that nodes share through Redis, and that a single node keeps in memory. */
async function startCoordination(options: {
  config: Config;
  key: ServiceKey;
  log: Log;
  db: Db;
  now: () => number;
}) {
  const { config, key, log, db, now } = options;
  const { redisUrl: url } = config;
  // It stays when the key is replaced, so that all nodes keep seeing each other.
  const readPrefix = () => fixSetting(db, 'redis-prefix', redisPrefix(key.inUse.bytes), now());
  const redis = url === undefined ? undefined : await startRedis({ url, prefix: await readPrefix(), log });
  const broadcast = createBroadcast(redis);
  return {
    redis,
    limits: countLimits(createLimits(redis)),
    broadcast,
    relay: createRelay(redis),
    events: countEvents(createEvents<DataEvent>(broadcast, redis)),
  };
}
