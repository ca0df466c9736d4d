import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  DATABASE_PATHS,
  MAX_SHARDS,
  RELOCATING,
  RELOCATING_OUTCOME_UNKNOWN,
} from '../../../../workers/protocol.ts';
import { randomSecret } from '../../../lib/secrets.ts';
import type { NetworkFiles, Runtime } from '../../workerd/index.ts';
import { hostKey } from '../address.ts';
import { diskUse } from '../disk-use.ts';
import { GrantServer } from '../grants.ts';
import { Supervisor } from '../host/supervisor.ts';
import { LocalFiles } from '../local-files.ts';
import type { PackOrder, Report } from '../pages/tasks.ts';
import { DatabaseUnavailableError, type Placement, type Send, type ShardMove } from '../placement.ts';
import type { DatabaseQuota } from '../quota.ts';
import { toClusterError } from './cluster-error.ts';
import { Cooldowns } from './cooldowns.ts';
import { copyFromCluster, replaceInCluster } from './copy.ts';
import { ShardMover } from './mover.ts';
import type { ClusterOptions } from './options.ts';
import { startShardProcess } from './shard-process.ts';
import { assertTerms, type Layout, readLayout } from './terms.ts';

/**
 * A host renews its lease of 20 seconds every 3, but not while a statement runs. A host that is killed comes back when
 * its lease is over, so it does not help to kill it much earlier than that.
 */
const STATEMENT_MS = 15_000;
/** A statement that is undone has filled its log first, and the log stays as long as it got. */
const MAX_LOGS_BYTES = 4 * 1024 ** 3;
const MEASURE_EVERY_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;
const COPY_EVERY_MS = 3600 * 1000;
/** How long a move waits for a host that is starting. */
const HOST_MS = 10_000;

interface PlacementOptions {
  runtime: Runtime;
  /** Has a folder per shard, with copies of what is in the bucket. */
  folder: string;
  network: NetworkFiles;
  cluster: ClusterOptions;
  quota: Pick<DatabaseQuota, 'grant'>;
  onLine(line: string): void;
  warn(message: string): void;
}

/** Databases of a cluster: in a bucket, at one node at a time. Each node has one host per shard. */
export class ClusterPlacement implements Placement {
  /** No node sees all databases of an owner, so the owner is charged when a host asks for bytes. */
  readonly countedBy = 'grants';
  readonly copyEveryMs = COPY_EVERY_MS;
  private readonly mover = new ShardMover(async (shard, { ownerId, databaseId }, path, init) => {
    const host = this.byShard[shard];
    if (!(await host?.whenUp(HOST_MS))) throw this.unavailable();
    return (host as Supervisor).fetch(ownerId, databaseId, path, init);
  });
  readonly shards = {
    open: async (count: number) => {
      await this.openHosts(count);
      return this.readLayout();
    },
    move: (move: ShardMove) => this.mover.move(move),
    forget: (database: { ownerId: number; databaseId: number }, shard: number) =>
      this.mover.forget(database, shard, false),
  };
  private readonly byShard: Supervisor[] = [];
  private layout: Layout;

  /** Starts the hosts. If the bucket does not respond, they are started in the background. */
  static async start(options: PlacementOptions): Promise<ClusterPlacement> {
    const { runtime, cluster, quota, onLine } = options;
    const { users } = runtime.sandbox;
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    const secret = randomSecret();
    const keys = Array.from({ length: MAX_SHARDS }, (_, shard) => hostKey(secret, `shard ${shard}`));
    const grants = await GrantServer.start({
      folder: runtime.makeFolder('grants', users && { id: 0, groups: [] }, users?.grantsGroup),
      keys,
      quota,
      findHome: (ownerId) => placement.findHome(ownerId),
      onLine,
    });
    const placement = new ClusterPlacement(options, keys, grants);
    const hosts = await Promise.allSettled([placement.openHosts(cluster.shards)]);
    // Compared after the hosts have tried whether the bucket can be used at all.
    const terms = await Promise.allSettled([placement.join()]);
    const failed = [...hosts, ...terms].find((outcome) => outcome.status === 'rejected');
    if (!failed) return placement;
    await placement.stop();
    throw toClusterError(failed.reason) ?? failed.reason;
  }

  private constructor(
    private readonly options: PlacementOptions,
    private readonly keys: string[],
    private readonly grants: GrantServer,
  ) {
    this.layout = { home: options.cluster.shards, isMoving: false };
  }

  /** A database that has moved is found all the same: the host of the place that it left knows where it is. */
  findHost(ownerId: number): Supervisor {
    return this.byShard[ownerId % this.layout.home] as Supervisor;
  }

  hosts(): Supervisor[] {
    return this.byShard;
  }

  /** Starts hosts until the node has this many. They stay until the node ends. */
  private async openHosts(count: number): Promise<void> {
    await this.options.cluster.connect?.(count);
    const first = this.byShard.length;
    for (let shard = first; shard < count; shard++) this.byShard.push(this.createHost(shard));
    const isHopeless = (error: unknown) => toClusterError(error) !== undefined;
    const starting = this.byShard.slice(first).map((host) => host.startOrRetry(isHopeless));
    const failed = (await Promise.allSettled(starting)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  private async readLayout(): Promise<boolean> {
    await this.useLayout((await readLayout(this.options.cluster.s3)) ?? this.layout);
    return this.byShard.every(({ isUp }) => isUp);
  }

  private async join(): Promise<void> {
    await this.useLayout(await assertTerms(this.options.cluster, this.options.onLine));
  }

  private async useLayout(layout: Layout): Promise<void> {
    await this.openHosts(Math.max(layout.home, layout.other ?? 0));
    this.layout = layout;
  }

  private async findHome(ownerId: number): Promise<number> {
    const { home } = (await readLayout(this.options.cluster.s3)) ?? this.layout;
    return ownerId % home;
  }

  databaseBytes(): number {
    return 0;
  }

  async readSize(): Promise<number> {
    return 0;
  }

  copy({ databaseId }: { databaseId: number }, send: Send, to: string): Promise<void> {
    const { runtime, onLine } = this.options;
    return copyFromCluster({ runtime, databaseId, send, onLine }, to);
  }

  /** The files of this node are not all that there is. */
  readStamp(): undefined {}

  async pack({ databaseId }: { databaseId: number }, send: Send, order: PackOrder): Promise<Report> {
    const { runtime, folder } = this.options;
    const to = join(folder, 'exports', `pack-${randomBytes(6).toString('hex')}`);
    try {
      await this.copy({ databaseId }, send, to);
      const user = runtime.sandbox.users?.next();
      const files = new LocalFiles({ runtime, user, folder: to, isHostUp: false });
      return await files.pack(databaseId, send, order);
    } finally {
      await rm(to, { recursive: true, force: true });
    }
  }

  async replace(
    { ownerId, databaseId }: { ownerId: number; databaseId: number },
    send: Send,
    file: string | undefined,
  ): Promise<void> {
    const { runtime, folder, quota, onLine } = this.options;
    const scratch = join(folder, 'exports', `replace-${randomBytes(6).toString('hex')}`);
    const bytes = file === undefined ? 0 : statSync(file).size;
    const granted = bytes > 0 ? await quota.grant(ownerId, databaseId, bytes) : undefined;
    await replaceInCluster({ runtime, databaseId, send, onLine }, { file, granted }, scratch);
  }

  /** The database stores it. */
  noteGeneration(): void {}

  async remove(database: { ownerId: number; databaseId: number }, send: Send): Promise<void> {
    const response = await send(DATABASE_PATHS.remove, { method: 'DELETE' });
    if (!response.ok) throw this.unavailable();
    const { home, other } = this.layout;
    if (other === undefined) return;
    // A move may have left something in the other place.
    for (const shard of new Set([home, other].map((count) => database.ownerId % count)))
      await this.mover.forget(database, shard, true).catch((error: unknown) => {
        throw this.unavailable(error);
      });
  }

  /** Nothing to remove: owners share the files of a shard. */
  async forgetOwner(): Promise<void> {}

  unavailable(cause?: unknown): DatabaseUnavailableError {
    const options = { cause, retryAfterSeconds: RETRY_AFTER_SECONDS };
    return new DatabaseUnavailableError(RELOCATING, 'UNAVAILABLE', options);
  }

  lost(cause: unknown): DatabaseUnavailableError {
    return new DatabaseUnavailableError(RELOCATING_OUTCOME_UNKNOWN, 'OUTCOME_UNKNOWN', { cause });
  }

  async stop(): Promise<void> {
    await Promise.all(this.byShard.map((host) => host.stop()));
    await this.grants.stop();
  }

  private createHost(shard: number): Supervisor {
    const { runtime, network, cluster, onLine, warn } = this.options;
    const { users } = runtime.sandbox;
    const name = `databases-${shard}`;
    const dataFolder = join(this.options.folder, String(shard));
    const user = users && { ...users.databaseHost(shard), groups: [users.grantsGroup] };
    const { keys } = this;
    const serverFolder = dirname(this.grants.socket);
    const hostFolder = join(runtime.folder, name);
    const cooldowns = new Cooldowns();
    const onHostLine = (line: string) => {
      if (!cooldowns.readLine(line)) onLine(line);
    };
    return new Supervisor({
      name: `shard ${shard}`,
      folder: hostFolder,
      key: keys[shard] ?? '',
      group: user?.id,
      lifetime: 'always',
      statementMs: STATEMENT_MS,
      async start() {
        const process = await startShardProcess({
          ...{ runtime, shard, name, user, network, dataFolder, keys, serverFolder, cluster },
          cooldowns: cooldowns.format(),
          onLine: onHostLine,
        });
        shareSocket(hostFolder, join(serverFolder, `shard-${shard}`));
        return process;
      },
      isBloated: everyMs(MEASURE_EVERY_MS, () => diskUse(dataFolder).hugeLogs > MAX_LOGS_BYTES),
      statusHeaders: async () => ({}),
      onOverload() {
        const owner = cooldowns.begin();
        if (owner !== undefined)
          onLine(`a statement of user ${owner} ended the host of shard ${shard}; the user is in cooldown`);
      },
      onLine,
      warn,
    });
  }
}

/** Makes the socket of a host visible to the others, which cannot see its folder. */
function shareSocket(hostFolder: string, shared: string): void {
  rmSync(`${shared}-new`, { force: true });
  linkSync(join(hostFolder, 'http'), `${shared}-new`);
  renameSync(`${shared}-new`, shared);
}

/** Asks only now and then: a shard may have very many files. */
function everyMs(milliseconds: number, ask: () => boolean): () => boolean {
  let askedAt = 0;
  return () => {
    if (Date.now() - askedAt < milliseconds) return false;
    askedAt = Date.now();
    return ask();
  };
}
