import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { type Engine, startEngine } from './engine.ts';
import { asServerUser, findBinaries } from './postgres.ts';

/** The engines that the nodes of a cluster share, each on a port of its own, with all they keep below one folder. */

export interface Place {
  folder: string;
  host: string;
  port: number;
  /** The start of a command that runs where the engine is to run. */
  within?: string[];
}

export interface SharedEngine extends Engine {
  url: string;
}

/** Ends at once and comes up again with all that it said it has: the machine under it never fails here. */
const HASTY = ['fsync=off', 'full_page_writes=off'];

export async function startSharedPostgres(place: Place, durable = false): Promise<SharedEngine> {
  const { host, port, within = [] } = place;
  const bin = await findBinaries();
  const user = asServerUser();
  const home = join(place.folder, 'postgres');
  await mkdir(home);
  if (user.id !== undefined) await chown(home, user.id, user.id);
  const data = join(home, 'data');
  const made = Bun.spawnSync(
    [
      ...user.command,
      join(bin, 'initdb'),
      ...['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '--no-instructions'],
      ...['-E', 'UTF8', '--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US'],
    ],
    { cwd: home },
  );
  if (!made.success) throw new Error(`initdb failed: ${made.stderr}`);
  await Bun.write(join(data, 'pg_hba.conf'), 'host all all all trust\n');
  const settings = [
    ...(durable ? [] : HASTY),
    'max_connections=200',
    `listen_addresses=${host}`,
    'unix_socket_directories=',
  ];
  const url = `postgres://postgres@${host}:${port}/postgres`;
  const engine = await startEngine({
    name: 'PostgreSQL',
    command: [
      ...within,
      ...user.command,
      ...['setpriv', '--pdeathsig=QUIT', '--', join(bin, 'postgres')],
      ...['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    ],
    isReady: () => canQuery(url),
    // "Immediate shutdown", as in a crash; its children end with it.
    signal: 'SIGQUIT',
  });
  return { ...engine, url };
}

async function canQuery(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } finally {
    await client.end();
  }
}

export async function startSharedRedis(place: Place): Promise<SharedEngine> {
  const { host, port, within = [] } = place;
  const folder = join(place.folder, 'redis');
  await mkdir(folder);
  const engine = await startEngine({
    name: 'Redis',
    command: [
      ...within,
      ...['redis-server', '--bind', host, '--port', String(port), '--dir', folder],
      ...['--save', '', '--appendonly', 'no', '--protected-mode', 'no'],
    ],
    isReady: () => saysPong(host, port),
  });
  return { ...engine, url: `redis://${host}:${port}` };
}

/** The bucket, and the settings that lead a node to it. */
export interface SharedBucket extends SharedEngine {
  settings: Record<string, string>;
}

export async function startSharedBucket(place: Place): Promise<SharedBucket> {
  const { host, port, within = [] } = place;
  const folder = join(place.folder, 's3');
  await mkdir(folder);
  const told = { bucket: 'quire-test', region: 'us-east-1', accessKeyId: 'KEY', secretAccessKey: 'secret' };
  const url = `http://${host}:${port}`;
  const server = join(import.meta.dir, 's3-server.ts');
  const engine = await startEngine({
    name: 'S3',
    command: [...within, process.execPath, server, JSON.stringify({ ...told, host, port, folder })],
    // It refuses us, who have not signed; that is an answer.
    isReady: () => fetch(url).then(() => true),
  });
  const settings = {
    S3_ENDPOINT: url,
    S3_BUCKET: told.bucket,
    S3_REGION: told.region,
    S3_ACCESS_KEY_ID: told.accessKeyId,
    S3_SECRET_ACCESS_KEY: told.secretAccessKey,
  };
  return { ...engine, url, settings };
}

function saysPong(hostname: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    Bun.connect({
      hostname,
      port,
      socket: {
        open: (socket) => void socket.write('PING\r\n'),
        data(socket, chunk) {
          resolve(chunk.toString().startsWith('+PONG'));
          socket.end();
        },
        close: () => resolve(false),
        connectError: () => resolve(false),
      },
    }).catch(() => resolve(false));
  });
}
