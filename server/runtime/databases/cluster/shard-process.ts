import { rmSync } from 'node:fs';
import { loadModule } from '../../../lib/modules.ts';
import type { BoxUser, NetworkFiles, Runtime, WorkerdProcess } from '../../workerd/index.ts';
import { clusterHostConfig, startHelper } from '../../workerd/index.ts';
import { prepareFolder } from '../folder.ts';
import type { ClusterOptions } from './options.ts';

interface ShardProcessOptions {
  runtime: Runtime;
  shard: number;
  /** Names the folders of the process at run time. */
  name: string;
  user: BoxUser | undefined;
  network: NetworkFiles;
  dataFolder: string;
  /** The keys of all shards. */
  keys: string[];
  /** Has the sockets of the server, and of the other shards at this node. */
  serverFolder: string;
  /** The cooldowns, as `Cooldowns.format` writes them. */
  cooldowns: string;
  cluster: ClusterOptions;
  onLine(line: string): void;
}

/** Starts the process for a shard's databases at this node. Its socket is `http` in the folder of its name. */
export async function startShardProcess(options: ShardProcessOptions): Promise<WorkerdProcess> {
  const { runtime, shard, name, user, dataFolder, cluster } = options;
  const { s3 } = cluster;
  const { host, port } = splitAddress(cluster.address);
  // Everything acknowledged is in the bucket and is read from there. This is what relocated databases have left.
  rmSync(dataFolder, { recursive: true, force: true });
  prepareFolder(dataFolder, user);
  const isBoxed = runtime.sandbox.levels.databases === 'bwrap';
  const { process } = await startHelper({
    runtime,
    kind: 'databases',
    name,
    user,
    config: ({ socket }) =>
      clusterHostConfig({
        socket,
        dataFolder: '/replaced',
        key: options.keys[shard] ?? '',
        keys: options.keys,
        shard,
        serverFolder: isBoxed ? '/server' : options.serverFolder,
        cooldowns: options.cooldowns,
        cluster: {
          bucket: `s3://${s3.bucket}/databases/${shard}`,
          address: `${host}:${port + shard}`,
          key: cluster.key.hosts,
        },
      }),
    modules: { 'database-cluster.js': await loadModule('workers/database/cluster.ts') },
    flags: ['--experimental'],
    dataFolder,
    tempBytes: runtime.databaseTempBytes,
    // The host uses the network for the bucket, and for hosts of the same shard at other nodes.
    hasNetwork: true,
    readOnly: [...options.network.readOnly, [options.serverFolder, '/server']],
    env: {
      ...(s3.endpoint !== undefined && { AWS_ENDPOINT_URL: s3.endpoint }),
      AWS_REGION: s3.region,
      AWS_ACCESS_KEY_ID: s3.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    },
    onLine: options.onLine,
  });
  return process;
}

function splitAddress(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
}
