import { Database } from 'bun:sqlite';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Destination } from '../../../server/platform/replica/destination/destination.ts';
import { folderDestination } from '../../../server/platform/replica/destination/folder.ts';
import { type DatabaseSegmentName, databaseName } from '../../../server/platform/replica/format/names.ts';
import { listDatabases } from '../../../server/platform/replica/history.ts';
import { restoreDatabase } from '../../../server/platform/replica/restore/restore-database.ts';
import { Claim, Rival } from '../../../server/platform/replica/ship/claim.ts';
import { ReplicaDatabases } from '../../../server/platform/replica/ship/databases/databases.ts';
import { NAMESPACE, toFileName } from '../../../server/runtime/databases/index.ts';
import { OWNER, type SnapshotBench, startSnapshots } from './snapshots.ts';

/** Databases of functions, and a replica of them in a folder, without a server. */
export async function startReplicated() {
  const bench = await startSnapshots();
  const folder = mkdtempSync(join(tmpdir(), 'quire-replicated-'));
  const place = join(folder, 'place');
  const disk = folderDestination(place);
  await Claim.take(disk, folder, Date.now, new Rival());
  const broken: Broken = {};
  const destination: Destination = {
    ...disk,
    async put(key, bytes) {
      await broken.beforePut?.(key);
      await disk.put(key, bytes);
      await broken.afterPut?.(key);
    },
  };
  const stateFolder = join(bench.dataFolder, 'databases/replica');
  const deleted = new Set<number>();
  const clock = { aheadMs: 0 };
  let restored = 0;

  const toName = (id: number) => databaseName({ ownerId: OWNER, file: toFileName(id) });
  const list = async (id: number): Promise<DatabaseSegmentName[]> =>
    (await listDatabases(destination)).get(toName(id)) ?? [];

  return {
    ...bench,
    ...{ destination, place, stateFolder, broken, deleted, clock, list, toName },
    /** Starts to ship, as a process of the server does. */
    start: (ids: number[] = [1]) =>
      new ReplicaDatabases({
        ...{ destination, stateFolder, inner: NAMESPACE, folder: join(bench.dataFolder, 'databases') },
        now: () => Date.now() + clock.aheadMs,
        async pack(ownerId, file, order) {
          const id = ids.find((each) => toFileName(each) === file && !deleted.has(each));
          if (id === undefined) return undefined;
          const report = await bench.databases.pack(ownerId, id, order);
          return { ...report, at: report.at + clock.aheadMs };
        },
      }),
    /** Makes the database of a time from the replica; `database` is undefined if it was empty. */
    async restore(id: number, time = Number.MAX_SAFE_INTEGER) {
      const to = join(folder, `restored-${++restored}.sqlite`);
      const used = await restoreDatabase(destination, await list(id), time, to);
      return { ...used, database: existsSync(to) ? new Database(to) : undefined };
    },
    /** The bytes of a segment in the replica. */
    size: ({ key }: DatabaseSegmentName) => readFileSync(join(place, key)).length,
    turnBit({ key }: DatabaseSegmentName): void {
      const bytes = readFileSync(join(place, key));
      bytes.writeUInt8((bytes.at(-3) ?? 0) ^ 4, bytes.length - 3);
      writeFileSync(join(place, key), bytes);
    },
    async stop() {
      await bench.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a test does to the place of the replica. */
interface Broken {
  beforePut?: ((key: string) => Promise<void>) | undefined;
  afterPut?: ((key: string) => Promise<void>) | undefined;
}

export type ReplicatedBench = Awaited<ReturnType<typeof startReplicated>>;

/** Fills a table with rows that cannot be compressed, each about a quarter of a page. */
export async function fill({ run }: Pick<SnapshotBench, 'run'>, id: number, rows: number): Promise<void> {
  await run(id, 'CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, a BLOB)');
  for (let left = rows; left > 0; left -= 5_000)
    await run(
      id,
      `INSERT INTO t (a) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${Math.min(left, 5_000)})
       SELECT randomblob(1000) FROM n`,
    );
}
