import { createHmac } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterOptions } from './cluster-options.ts';
import { clusterHostConfig } from './config-text.ts';
import { SERVE, startWorkerd, type WorkerdProcess } from './process.ts';
import type { Runtime } from './runtime.ts';
import { attached } from './sandbox.ts';
import { openSocket } from './socket.ts';

const START_MS = 10_000;

/** Starts the process that holds a shard's databases at this node; it answers at `http` in the folder of its name. */
export async function startShardProcess(options: {
  runtime: Runtime;
  shard: number;
  /** Names its socket folder and configuration. */
  name: string;
  dataFolder: string;
  key: string;
  /** Where the server answers databases that need room. */
  serverSocket: string;
  /** Who has to rest, as the worker reads it. */
  rests: string;
  cluster: ClusterOptions;
  onLine(line: string): void;
}): Promise<WorkerdProcess> {
  const { runtime, shard, name, dataFolder, cluster } = options;
  const { s3 } = cluster;
  const { host, port } = splitAddress(cluster.address);
  // Whatever was acknowledged is in the bucket, and is read from there; here are leavings of databases that moved away.
  rmSync(dataFolder, { recursive: true, force: true });
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const socket = join(runtime.makeFolder(name), 'http');
  const configFile = join(runtime.folder, `${name}.capnp`);
  const config = clusterHostConfig({
    socket,
    dataFolder: '/replaced',
    key: options.key,
    serverSocket: options.serverSocket,
    rests: options.rests,
    cluster: {
      bucket: `s3://${s3.bucket}/databases/${shard}`,
      address: `${host}:${port + shard}`,
      key: createHmac('sha256', cluster.secret).update('workerd cluster').digest('hex'),
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
        onLine: options.onLine,
      }),
    );
  } finally {
    // It has been read, and it has the key of the cluster.
    rmSync(configFile, { force: true });
  }
}

function splitAddress(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
}
