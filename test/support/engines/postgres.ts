import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startStorage } from '../../../server/platform/storage/index.ts';
import { takePorts } from '../ports.ts';

/** A real PostgreSQL in a temporary folder, and empty databases in it. */

const START_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Owns the server and its folder, in a separate session that Ctrl-C does not reach. Its standard input is a pipe
 * from us: when it closes, because we close it or because we died in any way, it stops the server and removes
 * the folder. It repeats the signal until the server ends, because initdb and the shell around it ignore it.
 * SIGQUIT is PostgreSQL's "immediate shutdown".
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

/**
 * The collation of a human language, as on most real servers: code that only sorts correctly with C fails
 * here.
 */
const SERVER = `
  bin=$1; folder=$2; port=$3; cd "$folder" || exit 1
  "$bin/initdb" -D data -U postgres -A trust --no-sync --no-instructions \\
    -E UTF8 --locale=C.UTF-8 --locale-provider=icu --icu-locale=en-US || exit 1
  exec "$bin/postgres" -D data -p "$port" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \\
    -c max_connections=200 $4
`;

/** Tests need not survive a power cut. */
const HASTY = '-c fsync=off -c synchronous_commit=off -c full_page_writes=off';

/** Starts our own server. It is removed with its folder after `stop()`, or when this process ends. */
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
    const server = [...endWithParent(user), 'sh', '-c', SERVER, 'postgres', bin, folder, String(port), care];
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
    // Another process may have taken the port in the meantime.
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
 * Creates a database with a unique name on the server at `adminUrl`: an empty one, or a copy of a template. Nobody
 * can be connected to a template while it is copied, and nobody can connect to template0.
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

/** Creates a database that has our tables. They are created once and then copied, which is much faster. */
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

/** The folder with the programs of the newest PostgreSQL. */
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

/**
 * If the keeper is killed, the kernel stops the server. Changing the user clears that setting, so it comes
 * second.
 */
function endWithParent(user: string | undefined): string[] {
  if (!Bun.which('setpriv')) return [];
  const asUser = user
    ? ['setpriv', `--reuid=${user}`, `--regid=${findGroup(user)}`, '--init-groups', '--']
    : [];
  return [...asUser, 'setpriv', '--pdeathsig=QUIT', '--'];
}

/** A command prefix that runs as a user PostgreSQL accepts, and the id of that user if it is not ours. */
export function asServerUser(): { command: string[]; id?: number } {
  const user = serverUser();
  if (!user) return { command: [] };
  const group = findGroup(user);
  const command = ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--init-groups', '--'];
  return { command, id: Number(Bun.spawnSync(['id', '-u', user]).stdout.toString()) };
}

function findGroup(user: string): string {
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
  // A server that stops emits this on an idle connection. Without a listener it would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end();
  }
}
