import type { Database } from 'bun:sqlite';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call } from '../../../cli/command.ts';
import { count } from '../../../cli/terminal/amounts.ts';
import { CommandError, UsageError } from '../../../cli/usage.ts';
import { BLOB_KEYS } from '../../blob-keys.ts';
import { syncFolder } from '../../lib/sync-folder.ts';
import { type Config, readConfig } from '../../platform/config/index.ts';
import {
  openDestination,
  ReplicaError,
  type RestoredReplica,
  restoreReplica,
  sayTime,
} from '../../platform/replica/index.ts';
import { lockDataFolder, type PlainRow } from '../../platform/storage/index.ts';
import { ArchiveError, assertEmptyFolder, unfinished } from '../../product/backup/index.ts';
import { NAMESPACE, toFileName } from '../../runtime/databases/index.ts';

/** `quire restore --from <replica> [--at <time>]`: makes a data folder of any second that the replica has. */
export async function restoreFromReplica({ text, environment, out }: Call): Promise<void> {
  const from = text('from') ?? '';
  const time = text('at') === undefined ? undefined : readTime(text('at') ?? '');
  const config = readConfig({ ...environment, QUIRE_REPLICA: from, DATABASE_URL: undefined });
  process.umask(0o077);
  const progress = out.progress('Restoring', undefined);
  const show = (done: number, all: number) => progress.at(done, `${done} of ${all} files and databases`);
  const restored = await restoreInto(config, time, show)
    .catch((error: unknown) => {
      const isExpected = error instanceof ReplicaError || error instanceof ArchiveError;
      throw isExpected ? new CommandError(error.message) : error;
    })
    .finally(progress.end);
  const { at, files, databases } = restored;
  out.result(
    {
      ...{ from, dataFolder: config.dataFolder, ...restored, at: sayTime(at) },
      older: restored.older.map((each) => ({ ...each, at: sayTime(each.at) })),
    },
    `Restored the state of ${sayTime(at)} into ${config.dataFolder}, with ${count(files, 'file')} and ${count(databases, 'database')}.${sayLost(restored)}`,
  );
}

function sayLost({ missing, older }: RestoredReplica): string {
  const list = (names: string[]) => `${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`;
  const lines = [
    missing.length > 0 && `Missing or damaged in the replica, and not restored: ${list(missing)}`,
    missing.includes('secret') &&
      'Without its key the server cannot read the secrets of functions and of providers. If you have the key, set QUIRE_SECRET before you start it.',
    older.length > 0 &&
      `Older than the rest, because later copies are damaged: ${list(older.map(({ name, at }) => `${name} of ${sayTime(at)}`))}`,
  ];
  return lines.flatMap((line) => (line ? [`\n${line}`] : [])).join('');
}

const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?$/i;

/** A time is in UTC, as all times that Quire shows, unless it says something else. */
function readTime(given: string): number {
  const [, day, clock, zone = 'Z'] = TIME.exec(given) ?? [];
  const time = Date.parse(`${day}T${clock}${zone}`);
  if (Number.isNaN(time))
    throw new UsageError(`--at must be a time such as 2026-03-01T12:00:00Z, not "${given}".`);
  return time;
}

/** Fills a folder beside the place, and moves it there when everything is complete. */
async function restoreInto(
  config: Config,
  time: number | undefined,
  onProgress: (done: number, all: number) => void,
): Promise<RestoredReplica> {
  const { dataFolder, replica, s3 } = config;
  if (!replica)
    throw new UsageError('--from must be a URL such as file:///var/replica or s3://bucket/prefix.');
  await assertEmptyFolder(dataFolder);
  const lock = lockDataFolder(dataFolder);
  try {
    await rm(unfinished(dataFolder), { recursive: true, force: true });
    await mkdir(unfinished(dataFolder), { recursive: true, mode: 0o700 });
    const restored = await restoreReplica({
      destination: openDestination(replica),
      folder: unfinished(dataFolder),
      time,
      readNeeds: (database) => ({ ...readNeeds(database), ...(s3 && { files: [] }) }),
      databasesInner: NAMESPACE,
      onProgress,
    });
    // The database comes last, because a server that finds it expects the rest.
    const names = (await readdir(unfinished(dataFolder))).sort((a) => (a === 'quire.db' ? 1 : -1));
    for (const name of names) await rename(unfinished(dataFolder, name), join(dataFolder, name));
    await syncFolder(dataFolder);
    return restored;
  } finally {
    await rm(unfinished(dataFolder), { recursive: true, force: true });
    lock.release();
  }
}

/** The files and databases that rows of a database refer to. */
function readNeeds(database: Database) {
  const has = (table: string) =>
    database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table) !== null;
  const files = Object.entries(BLOB_KEYS).flatMap(([table, toKey]) =>
    has(table)
      ? (database.prepare(`select * from "${table}"`).all() as PlainRow[]).flatMap((row) => toKey(row) ?? [])
      : [],
  );
  const rows = database
    .prepare('select id, owner_id from function_databases where deleted_at is null')
    .all() as Array<{ id: number; owner_id: number }>;
  return {
    files: [...new Set(files)],
    databases: rows.map(({ id, owner_id }) => ({ ownerId: owner_id, file: toFileName(id) })),
  };
}
