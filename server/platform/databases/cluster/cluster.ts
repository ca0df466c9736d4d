import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cellKey, RELOCATING, RELOCATING_OUTCOME_UNKNOWN } from '../../../../workers/protocol.ts';
import { randomSecret } from '../../../lib/secrets.ts';
import type { NetworkFiles, Runtime } from '../../workerd/index.ts';
import { askDatabase, databaseIdOf, databaseName } from '../ask.ts';
import { createDatabaseCopier } from '../copies.ts';
import { createDatabaseExports } from '../exports.ts';
import { startDatabaseGrants } from '../grants.ts';
import { hostKey } from '../host-keys.ts';
import { diskUse } from '../local/host.ts';
import type { DatabaseHosts } from '../local/hosts.ts';
import { Cooldowns } from './cooldowns.ts';
import { copyFromCluster } from './copy.ts';
import type { ClusterOptions } from './options.ts';
import { type ShardHost, startShardHost } from './shard-host.ts';
import { startShardProcess } from './shard-process.ts';
import { assertTerms } from './terms.ts';

/** Thrown when a database cannot be had right now, with what its caller should hear. */
export class DatabaseMovingError extends Error {
  /** True when it may have done what it was asked. */
  get isUnknown(): boolean {
    return this.message === RELOCATING_OUTCOME_UNKNOWN;
  }
}

/**
 * A host renews its lease of 20 seconds every 3, but not while a statement runs. One that is ended comes back when its
 * lease is over, so nothing is won by ending it much earlier than that.
 */
const STATEMENT_MS = 15_000;
/** A statement that is undone has filled its log before, which stays as long as it got. */
const MAX_LOGS_BYTES = 4 * 1024 ** 3;
/** How long a host that is being started is waited for. */
const WAIT_MS = 10_000;

export async function startDatabaseCluster(options: {
  runtime: Runtime;
  /** Below it, a folder per shard: copies of what is in the bucket. */
  folder: string;
  network: NetworkFiles;
  cluster: ClusterOptions;
  onLine(line: string): void;
  tell(message: string): void;
}): Promise<DatabaseHosts> {
  const { runtime, cluster, onLine } = options;
  const { users } = runtime.sandbox;
  const master = randomSecret();
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const keys = Array.from({ length: cluster.shards }, (_, shard) => hostKey(master, `shard ${shard}`));
  const keyOf = (shard: number) => keys[shard] as string;
  const grants = await startDatabaseGrants({
    folder: runtime.makeFolder('grants', users && { id: 0, groups: [] }, users?.grantsGroup),
    keys,
    onLine,
  });

  const folderOf = (shard: number) => join(options.folder, String(shard));
  const nameOf = (shard: number) => `databases-${shard}`;
  const socketFolder = (shard: number) => join(runtime.folder, nameOf(shard));
  const socketOf = (shard: number) => join(socketFolder(shard), 'http');

  const starting = Array.from({ length: cluster.shards }, (_, shard) => {
    const cooldowns = new Cooldowns();
    return startShardHost({
      shard,
      folder: socketFolder(shard),
      key: keyOf(shard),
      start: () =>
        startShardProcess({
          runtime,
          shard,
          name: nameOf(shard),
          user: users && { ...users.databaseHost(shard), groups: [users.grantsGroup] },
          network: options.network,
          dataFolder: folderOf(shard),
          key: keyOf(shard),
          serverSocket: grants.socket,
          cooldowns: cooldowns.format(),
          cluster,
          onLine: (line) => cooldowns.readLine(line) || onLine(line),
        }),
      isBloated: () => diskUse(folderOf(shard)).longLogs > MAX_LOGS_BYTES,
      statementMs: STATEMENT_MS,
      onOverload() {
        const owner = cooldowns.begin();
        if (owner !== undefined)
          onLine(`a statement of user ${owner} ended the host of shard ${shard}; the user is in cooldown`);
      },
      onLine,
      tell: options.tell,
    });
  });
  const outcomes = await Promise.allSettled(starting);
  // After the hosts, which have tried whether the bucket can be used at all.
  const [terms] = await Promise.allSettled([assertTerms(cluster, onLine)]);
  const hosts = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failed = [...outcomes, terms].find((outcome) => outcome.status === 'rejected');
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
      if (!(await hostOf(ownerId).whenUp(deadline - Date.now()))) throw new DatabaseMovingError(RELOCATING);
      try {
        return await askDatabase(
          { socket: socketOf(shardOf(ownerId)), key: keyOf(shardOf(ownerId)), ownerId },
          databaseId,
          path,
          init,
        );
      } catch (error) {
        if (!isUnreached(error)) throw new DatabaseMovingError(RELOCATING_OUTCOME_UNKNOWN, { cause: error });
        if (Date.now() > deadline) throw new DatabaseMovingError(RELOCATING, { cause: error });
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
    isCluster: true,
    async open(ownerId, databaseId) {
      return {
        folder: socketFolder(shardOf(ownerId)),
        name: databaseName(databaseId),
        owner: String(ownerId),
        group: users?.databaseHost(shardOf(ownerId)).id,
        key: await cellKey(databaseName(databaseId), keyOf(shardOf(ownerId))),
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
      if (!response.ok) throw new DatabaseMovingError(RELOCATING);
    },
    status: () => ({
      wanted: hosts.length,
      running: hosts.filter(({ isUp }) => isUp).length,
      restarts: hosts.reduce((sum, { restarts }) => sum + restarts, 0),
      lastUses: Object.fromEntries(
        hosts.flatMap(({ lastUses }) =>
          Object.entries(lastUses).map(([name, at]) => [databaseIdOf(name), at]),
        ),
      ),
    }),
    isAway: (ownerId) => !hostOf(ownerId).isUp,
    async stop() {
      await exports.stop();
      await Promise.all(hosts.map((one) => one.stop()));
      await grants.stop();
    },
  };
}

/** True when there was nobody to connect to. */
function isUnreached(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'FailedToOpenSocket';
}
