import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithParent } from '../engines/engine.ts';
import { startRedis, type TestRedis } from '../engines/redis.ts';
import { startS3, type TestS3 } from '../engines/s3.ts';
import { type SharedPostgres, startSharedPostgres } from '../engines/shared-postgres.ts';
import { runtimeFolder } from '../functions/server.ts';
import { takePorts } from '../ports.ts';
import { startServer, type TestServer } from '../server.ts';
import { type Balancer, startHaproxy } from './haproxy.ts';

/** Several nodes with the same engines behind a load balancer, as an operator runs them. */
export interface Cluster {
  /** The address for users: the load balancer. */
  url: string;
  port: number;
  nodes: ClusterNode[];
  balancer: Balancer;
  postgres: SharedPostgres;
  redis: TestRedis;
  s3: TestS3;
  stop(): Promise<void>;
}

export interface ClusterNode {
  name: string;
  host: string;
  port: number;
  url: string;
  /** Where other nodes reach its databases. */
  clusterAddress: string;
  dataFolder: string;
  readonly pid: number;
  /** What it has printed since its last start. */
  output(): string;
  /** Asks it to stop. Resolves to the exit code. */
  stop(): Promise<number>;
  /** Kills it. */
  kill(): Promise<void>;
  /** Starts it again with its folder and port, and with these settings from now on. Resolves when it is healthy. */
  start(changed?: Record<string, string>): Promise<void>;
  /** The settings for commands beside it. */
  settings: Record<string, string>;
}

export interface ClusterOptions {
  nodes?: number;
  settings?: Record<string, string>;
  /** How many shards a node can have. */
  maxShards?: number;
  network?: Network;
  /** Whether PostgreSQL must also survive a power failure, as in production. */
  durable?: boolean;
}

/** Where the parts run: their addresses, and a command prefix that runs a program there. */
export interface Network {
  findHost(part: string): string;
  /** Where the other nodes reach a node, if not there. */
  findEntrance?(node: string): string;
  within(part: string): string[];
}

const LOOPBACK: Network = { findHost: () => '127.0.0.1', within: () => [] };
/** Low, for a machine that runs all the nodes. */
const SHARDS = 1;

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const network = options.network ?? LOOPBACK;
  const ends: Array<() => Promise<unknown>> = [];
  const stop = async () => {
    // An error in one must not prevent the others from ending. The folder goes last.
    const [removeFolder, ...others] = ends.splice(0);
    await Promise.all(others.map((end) => end().catch(console.error)));
    await removeFolder?.();
  };
  // Kills the nodes, because a clean stop takes seconds and saves nothing that is needed.
  const started = async <T extends { kill(): Promise<unknown> }>(
    starting: Promise<T>,
    end: (part: T) => Promise<unknown> = (part) => part.kill(),
  ): Promise<T> => {
    const part = await starting;
    ends.push(() => end(part));
    return part;
  };
  const endNode = async (node: ClusterNode) => {
    await node.kill();
    // Outside its data folder, and removed by a node that is not killed.
    await rm(runtimeFolder(node), { recursive: true, force: true });
  };

  try {
    const folder = await keepFolder(ends);
    const place = (part: string) => ({
      folder,
      host: network.findHost(part),
      port: takePorts(1),
      within: network.within(part),
    });
    const [postgres, redis, s3] = await all([
      started(startSharedPostgres(place('postgres'), options.durable)),
      started(startRedis(place('redis'))),
      started(startS3(place('s3'))),
    ]);
    const port = takePorts(1);
    const url = `http://localhost:${port}`;
    const settings = {
      QUIRE_BASE_URL: url,
      QUIRE_SECRET: randomBytes(32).toString('hex'),
      QUIRE_TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8',
      QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
      BUN_CONFIG_MAX_HTTP_REQUESTS: '65336',
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      ...s3.settings,
      QUIRE_CLUSTER_SHARDS: String(SHARDS),
      ...options.settings,
    };
    const names = Array.from({ length: options.nodes ?? 3 }, (_, index) => `node${index + 1}`);
    const nodes = await all(
      names.map((name) => started(startNode({ ...options, name, folder, network, settings }), endNode)),
    );
    const balancer = await started(
      startHaproxy({
        folder,
        port,
        nodes: Object.fromEntries(nodes.map((node) => [node.name, `${node.host}:${node.port}`])),
      }),
    );
    return { url, port, nodes, balancer, postgres, redis, s3, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startNode(options: {
  name: string;
  folder: string;
  network: Network;
  settings: Record<string, string>;
  maxShards?: number;
}): Promise<ClusterNode> {
  const { name, network } = options;
  const host = network.findHost(name);
  const port = takePorts(1);
  const dataFolder = join(options.folder, name);
  // One port more, for TLS.
  const clusterAddress = `${network.findEntrance?.(name) ?? host}:${takePorts((options.maxShards ?? SHARDS) + 1)}`;
  const settings: Record<string, string> = {
    ...options.settings,
    PORT: String(port),
    QUIRE_CLUSTER_ADDRESS: clusterAddress,
  };
  let server: TestServer | undefined;

  async function start(changed: Record<string, string> = {}): Promise<void> {
    Object.assign(settings, changed);
    const within = [...network.within(name), ...endWithParent()];
    server = await startServer({ settings, dataFolder, port, host, within });
  }
  const current = (): TestServer => {
    if (!server) throw new Error(`${name} is not running`);
    return server;
  };
  await start();
  return {
    name,
    host,
    port,
    url: `http://${host}:${port}`,
    clusterAddress,
    dataFolder,
    get pid() {
      return current().pid;
    },
    output: () => current().output(),
    stop: () => current().stop(),
    kill: () => current().kill(),
    start,
    settings: { ...settings, QUIRE_DATA: dataFolder },
  };
}

/** Waits for all, even if one fails: what starts late must be ended too. */
async function all<T extends readonly unknown[]>(
  starting: {
    [Key in keyof T]: Promise<T[Key]>;
  },
): Promise<T> {
  await Promise.allSettled(starting);
  return (await Promise.all(starting)) as unknown as T;
}

/** A folder that is removed when the cluster stops, or when this process ends in any way. */
async function keepFolder(ends: Array<() => Promise<unknown>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-cluster-'));
  // PostgreSQL runs as another user.
  await chmod(folder, 0o755);
  const keeper = Bun.spawn(
    ['sh', '-c', 'read -r _; until rm -rf "$1"; do sleep 0.1; done', 'keeper', folder],
    { stdio: ['pipe', 'ignore', 'ignore'], detached: true },
  );
  ends.push(async () => {
    keeper.stdin.end();
    await keeper.exited;
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}
