import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { type Engine, type EngineHost, startEngine } from './engine.ts';
import { asServerUser, findBinaries } from './postgres.ts';

/** A PostgreSQL that can be frozen and killed, with its data in the folder of its place. */
export interface SharedPostgres extends Engine {
  url: string;
}

/** Kills it. It restarts with everything it acknowledged, because the machine under it never fails here. */
const HASTY = ['fsync=off', 'full_page_writes=off'];

export async function startSharedPostgres(place: EngineHost, durable = false): Promise<SharedPostgres> {
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
    // "Immediate shutdown", like a crash. Its children end with it.
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
