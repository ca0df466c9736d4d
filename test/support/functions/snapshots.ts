import { Database } from 'bun:sqlite';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Blobs, diskBlobs, KeptBlobs } from '../../../server/platform/blobs/index.ts';
import { startStorage } from '../../../server/platform/storage/index.ts';
import {
  DatabaseSnapshots,
  NAMESPACE,
  SnapshotMerger,
  startDatabases,
} from '../../../server/runtime/databases/index.ts';
import { startBoxes } from '../../../server/runtime/workerd/index.ts';

export const OWNER = 7;

/** Databases of one machine and their snapshots, without the rest of the service. */
export async function startSnapshots(
  options: { dataFolder?: string; limitBytes?: number; merging?: { deadlineMs: number } } = {},
) {
  const dataFolder = options.dataFolder ?? mkdtempSync(join(tmpdir(), 'quire-snapshots-'));
  mkdirSync(dataFolder, { recursive: true });
  const lines: string[] = [];
  const onLine = (line: string) => void lines.push(line);
  const boxes = await startBoxes({ dataFolder, sandbox: 'auto' });
  const databases = await startDatabases({ ...boxes, dataFolder, onLine, warn: onLine });
  const limitBytes = options.limitBytes ?? 10 * 1024 ** 3;
  databases.useQuota({ remaining: async () => limitBytes, grant: async (_owner, _id, bytes) => bytes });
  const storage = await startStorage({ dataFolder });
  await storage.db
    .insertInto('users')
    .values({
      id: OWNER,
      username: 'keeper',
      email: 'k@example.com',
      password_hash: '',
      is_admin: 0,
      created_at: 0,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const blobs: Blobs = diskBlobs(join(dataFolder, 'blobs'));
  const kept = new KeptBlobs({ storage, blobs, log: { warn: () => undefined }, now: Date.now });
  const snapshots = new DatabaseSnapshots({ databases, db: storage.db, kept, now: Date.now });
  const merger = new SnapshotMerger({ runtime: boxes.runtime, databases, snapshots, ...options.merging });
  let folders = 0;

  async function run(databaseId: number, sql: string, params: unknown[] = []): Promise<unknown[]> {
    const body = JSON.stringify({ sql, params });
    const response = await databases.fetch(OWNER, databaseId, '/query', { body });
    const answer = (await response.json()) as {
      success: boolean;
      error?: string;
      results?: { rows: unknown[] };
    };
    if (!answer.success) throw new Error(answer.error);
    return answer.results?.rows ?? [];
  }

  return {
    dataFolder,
    databases,
    snapshots,
    merger,
    storage,
    blobs,
    kept,
    lines,
    run,
    /** Opens a snapshot as a database of its own. */
    async open(id: number): Promise<Database> {
      const folder = join(dataFolder, `rebuilt-${++folders}`);
      await snapshots.rebuild(id, folder);
      return openIn(join(folder, NAMESPACE));
    },
    /** Opens a copy as backups have it. */
    async copy(databaseId: number): Promise<Database> {
      const { folder } = await databases.copyOut(OWNER, databaseId);
      return openIn(folder);
    },
    /** Puts a database of a test in place of one, and takes a snapshot of it. */
    async put(databaseId: number, database: Database): Promise<number> {
      await databases.replace(OWNER, databaseId, this.toFile(database).filename);
      return (await snapshots.take(OWNER, databaseId)).id;
    },
    /** A database in memory as a file. */
    toFile(database: Database): Database {
      const file = join(dataFolder, `made-${++folders}.sqlite`);
      writeFileSync(file, database.serialize());
      return new Database(file);
    },
    /** Ends everything, and keeps the folder. */
    async halt() {
      await databases.stop();
      await boxes.stop();
      await kept.stop();
      await storage.stop();
    },
    async stop() {
      await this.halt();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

export type SnapshotBench = Awaited<ReturnType<typeof startSnapshots>>;

function openIn(folder: string): Database {
  const [file] = readdirSync(folder);
  return file === undefined ? new Database(':memory:') : new Database(join(folder, file));
}

/** All rows of all tables, in order, as text. */
export function dump(database: Database): string {
  const tables = database
    .query(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY name",
    )
    .all() as Array<{ name: string }>;
  return tables
    .map(
      ({ name }) => `${name}: ${JSON.stringify(database.query(`SELECT * FROM "${name}" ORDER BY 1`).all())}`,
    )
    .join('\n');
}

/** Throws if SQLite finds anything wrong with a database. */
export function assertIntact(database: Database): void {
  const found = JSON.stringify(database.query('PRAGMA integrity_check').all());
  if (found !== '[{"integrity_check":"ok"}]') throw new Error(found);
}

/** Throws if two databases differ: by Debian's `sqldiff` if it is installed, else by all their rows. */
export function assertSame(one: Database, other: Database, options: string[] = []): void {
  if (!Bun.which('sqldiff')) {
    if (dump(one) !== dump(other)) throw new Error('the databases differ');
    return;
  }
  const { stdout, stderr } = Bun.spawnSync(['sqldiff', ...options, one.filename, other.filename]);
  if (stdout.length > 0 || stderr.length > 0) throw new Error(`the databases differ: ${stdout}${stderr}`);
}
