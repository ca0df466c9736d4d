import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startStorage } from '../../server/platform/storage/index.ts';
import { takePorts } from './ports.ts';

/** A real PostgreSQL in a temporary folder, and empty databases in it. */

const START_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Owns the server and its folder, in a session of its own that Ctrl-C does not reach. Its standard input is a
 * pipe from us: when it closes, because we close it or because we died in whatever way, it stops the server
 * and removes the folder. The signal is sent again until it is heard: initdb, and the shell around it, do
 * not listen. SIGQUIT is PostgreSQL's "immediate shutdown".
 */
const KEEPER = `
  folder=$1; shift
  exec 3<&0
  "$@" 3<&- >"$folder/log" 2>&1 &
  server=$!
  { read -r _ <&3; while kill -QUIT $server 2>/dev/null; do sleep 0.1; done; } &
  wait $server
  kill $! 2>/dev/null
  tail -n 20 "$folder/log" >&2
  rm -rf "$folder"
`;

/** The collation is one of a human language, as on most real servers, so that what only sorts right on C fails here. */
const SERVER = `
  bin=$1; folder=$2; port=$3; cd "$folder" || exit 1
  "$bin/initdb" -D data -U postgres -A trust --no-sync --no-instructions \\
    -E UTF8 --locale=C.UTF-8 --locale-provider=icu --icu-locale=en-US || exit 1
  exec "$bin/postgres" -D data -p "$port" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \\
    -c max_connections=200 $4
`;

/** Tests need not survive a power cut. */
const HASTY = '-c fsync=off -c synchronous_commit=off -c full_page_writes=off';

/** Starts a server of our own; it is gone, and so is its folder, after `stop()` or when this process ends. */
export async function startPostgres(options: { durable?: boolean } = {}): Promise<{
  url: string;
  stop(): Promise<void>;
}> {
  const bin = await findBinaries();
  const user = serverUser();
  for (let attempt = 1; ; attempt++) {
    const port = takePorts(1);
    const folder = await mkdtemp(join(tmpdir(), 'quire-postgres-'));
    if (user) Bun.spawnSync(['chown', user, folder]);
    const care = options.durable ? '' : HASTY;
    const server = [...leash(user), 'sh', '-c', SERVER, 'postgres', bin, folder, String(port), care];
    const keeper = Bun.spawn(['sh', '-c', KEEPER, 'keeper', folder, ...server], {
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true,
    });
    const stop = async () => {
      keeper.stdin.end();
      await keeper.exited;
    };
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    if (await isReady(url, keeper)) return { url, stop };

    await stop();
    const log = await new Response(keeper.stderr).text();
    // Somebody else may have taken the port between our look and the start.
    if (attempt < 3 && log.includes('Address already in use')) continue;
    throw new Error(`PostgreSQL did not start. The end of its log:\n${log}`);
  }
}

export interface FreshDatabase {
  name: string;
  url: string;
  drop(): Promise<void>;
}

/**
 * Makes a database with a name of its own on the server at `adminUrl`: an empty one, or a copy of a template.
 * Nobody may be connected to a template while it is copied, and nobody can be to template0.
 */
export async function freshDatabase(adminUrl: string, template = 'template0'): Promise<FreshDatabase> {
  const name = `quire_test_${randomBytes(8).toString('hex')}`;
  await execute(adminUrl, `create database ${name} template ${template}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const drop = () => execute(adminUrl, `drop database if exists ${name} with (force)`);
  return { name, url: url.href, drop };
}

const templates = new Map<string, Promise<string>>();

/** Makes a database that has our tables. They are made once and then copied, which is much faster. */
export async function migratedDatabase(adminUrl: string): Promise<FreshDatabase> {
  const template = templates.get(adminUrl) ?? makeTemplate(adminUrl);
  templates.set(adminUrl, template);
  return freshDatabase(adminUrl, await template);
}

async function makeTemplate(adminUrl: string): Promise<string> {
  const { name, url } = await freshDatabase(adminUrl);
  const storage = await startStorage({ dataFolder: tmpdir(), databaseUrl: url });
  await storage.stop();
  return name;
}

/** Where the programs of the newest PostgreSQL are. */
export async function findBinaries(): Promise<string> {
  const servers = await Array.fromAsync(new Bun.Glob('postgresql/*/bin/postgres').scan('/usr/lib'));
  const newest = servers.map((path) => Number(path.split('/')[1])).sort((a, b) => b - a)[0];
  if (newest === undefined) throw new Error('PostgreSQL is missing: apt-get install postgresql');
  return `/usr/lib/postgresql/${newest}/bin`;
}

/** PostgreSQL refuses to run as root. */
function serverUser(): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return Bun.spawnSync(['id', '-u', 'postgres']).success ? 'postgres' : 'nobody';
}

/** Should the keeper be killed, the kernel stops the server. A change of user clears that wish, so it comes second. */
function leash(user: string | undefined): string[] {
  if (!Bun.which('setpriv')) return [];
  const asUser = user
    ? ['setpriv', `--reuid=${user}`, `--regid=${groupOf(user)}`, '--init-groups', '--']
    : [];
  return [...asUser, 'setpriv', '--pdeathsig=QUIT', '--'];
}

/** The start of a command that runs as a user that PostgreSQL accepts, and that user's id where it is not ours. */
export function asServerUser(): { command: string[]; id?: number } {
  const user = serverUser();
  if (!user) return { command: [] };
  const group = groupOf(user);
  const command = ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--init-groups', '--'];
  return { command, id: Number(Bun.spawnSync(['id', '-u', user]).stdout.toString()) };
}

function groupOf(user: string): string {
  return Bun.spawnSync(['id', '-g', user]).stdout.toString().trim();
}

async function isReady(url: string, keeper: { exitCode: number | null }): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && keeper.exitCode === null) {
    try {
      await execute(url, 'select 1');
      return true;
    } catch {
      await Bun.sleep(50);
    }
  }
  return false;
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // A server that stops under an idle connection emits this; without a listener it would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end();
  }
}
