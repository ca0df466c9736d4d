import { createHmac } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomSecret } from '../lib/secrets.ts';
import { copyFromCluster } from './cluster-copy.ts';
import { assertShards } from './cluster-shards.ts';
import { clusterHostConfig } from './config-text.ts';
import { askDatabase, databaseName } from './database-ask.ts';
import { createDatabaseCopier } from './database-copies.ts';
import { createDatabaseExports } from './database-exports.ts';
import { startDatabaseGrants } from './database-grants.ts';
import { diskUse } from './database-host.ts';
import type { DatabaseHosts } from './database-hosts.ts';
import { cellKey } from './database-keys.ts';
import { MOVING_UNKNOWN, MOVING_UNTOUCHED } from './database-moving.ts';
import { createRests, type Rests } from './database-rests.ts';
import { SERVE, startWorkerd, type WorkerdProcess } from './process.ts';
import type { Runtime } from './runtime.ts';
import { attached } from './sandbox.ts';
import { type ShardHost, startShardHost } from './shard-host.ts';
import { openSocket } from './socket.ts';

/** How this node is one of a cluster. */
export interface ClusterOptions {
  /** Where the other nodes reach the first of its hosts; the others are at the ports after that. */
  address: string;
  /** How many hosts each node has; an owner's databases are all at hosts of one number. */
  shards: number;
  /** What all nodes know, and nobody else. */
  secret: Buffer;
  s3: {
    bucket: string;
    endpoint: string | undefined;
    region: string;
    accessKeyId: string;
    secretAccessKey: string;
  };
}

/** Thrown when a database cannot be had right now, with what its caller should hear. */
export class DatabaseMovingError extends Error {}

/**
 * A host renews its lease of 20 seconds every 3, but not while a statement runs. One that is ended comes back when its
 * lease is over, so nothing is won by ending it much earlier than that.
 */
const STATEMENT_MS = 15_000;
const START_MS = 10_000;
/** A statement that is undone has filled its log before, which stays as long as it got. */
const MAX_LOGS_BYTES = 4 * 1024 ** 3;
/** How long a host that is being started is waited for. */
const WAIT_MS = 10_000;

export async function startDatabaseCluster(options: {
  runtime: Runtime;
  /** Below it, a folder per shard: copies of what is in the bucket. */
  folder: string;
  worker: string;
  cluster: ClusterOptions;
  onLine(line: string): void;
  tell(message: string): void;
}): Promise<DatabaseHosts> {
  const { runtime, cluster, onLine } = options;
  const key = randomSecret();
  const clusterKey = createHmac('sha256', cluster.secret).update('workerd cluster').digest('hex');
  const { s3 } = cluster;
  const { host, port } = splitAddress(cluster.address);
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  runtime.writeFile(join(runtime.folder, 'database-cluster.js'), options.worker);
  const grants = await startDatabaseGrants({ folder: runtime.makeFolder('grants'), key, onLine });

  const folderOf = (shard: number) => join(options.folder, String(shard));

  const socketFolder = (shard: number) => join(runtime.folder, `databases-${shard}`);
  const socketOf = (shard: number) => join(socketFolder(shard), 'http');

  async function start(shard: number, rests: Rests): Promise<WorkerdProcess> {
    const dataFolder = folderOf(shard);
    // Whatever was acknowledged is in the bucket, and is read from there; here are leavings of databases that moved away.
    rmSync(dataFolder, { recursive: true, force: true });
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    const socket = join(runtime.makeFolder(`databases-${shard}`), 'http');
    const configFile = join(runtime.folder, `databases-${shard}.capnp`);
    const config = clusterHostConfig({
      socket,
      dataFolder: '/replaced',
      key,
      serverSocket: grants.socket,
      rests: rests.toText(),
      cluster: {
        bucket: `s3://${s3.bucket}/databases/${shard}`,
        address: `${host}:${port + shard}`,
        key: clusterKey,
      },
    });
    writeFileSync(configFile, config, { mode: 0o600 });
    const serve = [...SERVE, '--experimental', `--directory-path=disk=${dataFolder}`, configFile];
    try {
      return await openSocket(socket, () =>
        startWorkerd({
          command: attached([runtime.binary, ...serve]),
          sockets: 1,
          hasInfoFd: false,
          deadlineMs: START_MS,
          env: {
            ...(s3.endpoint !== undefined && { AWS_ENDPOINT_URL: s3.endpoint }),
            AWS_REGION: s3.region,
            AWS_ACCESS_KEY_ID: s3.accessKeyId,
            AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
          },
          onLine: (line) => rests.hear(line) || onLine(line),
        }),
      );
    } finally {
      // It has been read, and it has the key of the cluster.
      rmSync(configFile, { force: true });
    }
  }

  const starting = Array.from({ length: cluster.shards }, (_, shard) => {
    const rests = createRests();
    return startShardHost({
      shard,
      folder: socketFolder(shard),
      key,
      start: () => start(shard, rests),
      isBloated: () => diskUse(folderOf(shard)).longLogs > MAX_LOGS_BYTES,
      statementMs: STATEMENT_MS,
      onOverload() {
        const owner = rests.strike();
        if (owner !== undefined)
          onLine(`shard ${shard} was ended by a statement of user ${owner}, who rests`);
      },
      onLine,
      tell: options.tell,
    });
  });
  const outcomes = await Promise.allSettled(starting);
  // After the hosts, which have tried whether the bucket can be used at all.
  const [shards] = await Promise.allSettled([assertShards(cluster, onLine)]);
  const hosts = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failed = [...outcomes, shards].find((outcome) => outcome.status === 'rejected');
  if (failed) {
    await Promise.all([...hosts.map((one) => one.stop()), grants.stop()]);
    throw failed.reason;
  }

  const shardOf = (ownerId: number) => ownerId % cluster.shards;
  const hostOf = (ownerId: number) => hosts[shardOf(ownerId)] as ShardHost;

  /** A host that is not there is waited for; what was on its way to one that ended is lost. */
  async function send(
    ownerId: number,
    databaseId: number,
    path: string,
    init?: RequestInit,
  ): Promise<Response> {
    const deadline = Date.now() + WAIT_MS;
    for (;;) {
      if (!(await hostOf(ownerId).whenUp(deadline - Date.now())))
        throw new DatabaseMovingError(MOVING_UNTOUCHED);
      try {
        return await askDatabase(
          { socket: socketOf(shardOf(ownerId)), key, ownerId },
          databaseId,
          path,
          init,
        );
      } catch (error) {
        if (!isUnreached(error)) throw new DatabaseMovingError(MOVING_UNKNOWN, { cause: error });
        if (Date.now() > deadline) throw new DatabaseMovingError(MOVING_UNTOUCHED, { cause: error });
        await Bun.sleep(100);
      }
    }
  }

  function copy(ownerId: number, databaseId: number, to: string): Promise<void> {
    const ask = (path: string, init?: RequestInit) => send(ownerId, databaseId, path, init);
    return copyFromCluster({ runtime, databaseId, ask, onLine }, to);
  }

  const folder = join(options.folder, 'exports');
  const exports = createDatabaseExports({ runtime, folder, onLine, copy });
  const copier = createDatabaseCopier({ folder, copy, afterCopy: () => undefined });

  return {
    async open(ownerId, databaseId) {
      return {
        folder: socketFolder(shardOf(ownerId)),
        name: databaseName(databaseId),
        owner: String(ownerId),
        key: await cellKey(databaseName(databaseId), key),
        release: () => undefined,
      };
    },
    fetch: send,
    export: exports.start,
    beginCopies: copier.begin,
    // They are charged as they are granted, like all else that an owner stores.
    bytesOf: () => 0,
    limitBy: () => undefined,
    grantBy: grants.grantBy,
    async remove(ownerId, databaseId) {
      await copier.beforeRemoval(ownerId, databaseId);
      const response = await send(ownerId, databaseId, '/database', { method: 'DELETE' });
      if (!response.ok) throw new DatabaseMovingError(MOVING_UNTOUCHED);
    },
    status: () => ({
      isCluster: true,
      wanted: hosts.length,
      running: hosts.filter(({ isUp }) => isUp).length,
      restarts: hosts.reduce((sum, { restarts }) => sum + restarts, 0),
    }),
    isAway: (ownerId) => !hostOf(ownerId).isUp,
    async stop() {
      await exports.stop();
      await Promise.all(hosts.map((one) => one.stop()));
      await grants.stop();
    },
  };
}

function splitAddress(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
}

/** True when there was nobody to connect to. */
function isUnreached(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'FailedToOpenSocket';
}
