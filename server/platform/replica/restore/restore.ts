import { Database } from 'bun:sqlite';
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isKey } from '../../blobs/index.ts';
import { type Destination, WRITERS } from '../destination/destination.ts';
import { databaseName, FILES, SECRET } from '../format/names.ts';
import { DamagedError } from '../format/object.ts';
import { listDatabases } from '../history.ts';
import { readWriter, writeIdentity } from '../ship/claim.ts';
import { restoreDatabase } from './restore-database.ts';
import { DamagedPointError, findPoint, walk } from './walk.ts';
import { writeContent } from './write-content.ts';

/** Thrown if a replica cannot be restored. The message says why. */
export class ReplicaError extends Error {}

export interface RestoreOptions {
  destination: Destination;
  /** An empty folder, which becomes the data folder. */
  folder: string;
  /** The newest state if undefined. */
  time: number | undefined;
  /** What else belongs to a database: keys of files, and databases of functions. */
  readNeeds(database: Database): { files: string[]; databases: Array<{ ownerId: number; file: string }> };
  /** The folder with database files, inside the folder of an owner. */
  databasesInner: string;
  onProgress?(done: number, all: number): void;
}

export interface RestoredReplica {
  /** The time of the state. */
  at: number;
  generation: string;
  files: number;
  databases: number;
  /** What the replica does not have, or only damaged. */
  missing: string[];
  /** Databases of functions of which a newer state is damaged, and the time of the state that was used. */
  older: Array<{ name: string; at: number }>;
}

/** Makes a data folder of the state at one time. */
export async function restoreReplica(options: RestoreOptions): Promise<RestoredReplica> {
  const { destination, folder, time } = options;
  const point = await findPoint(destination, time).catch(explainDamage);
  if (!point) {
    const oldest = await findPoint(destination, Number.MAX_SAFE_INTEGER).catch(explainDamage);
    throw new ReplicaError(
      oldest
        ? `The replica at ${destination.name} does not reach back to ${sayTime(time ?? 0)}. Run "quire replica status" to see its oldest time.`
        : `There is no replica at ${destination.name}.`,
    );
  }
  const path = join(folder, 'quire.db');
  await rebuild(destination, point, path).catch(explainDamage);
  const needs = readChecked(path, options.readNeeds);
  assertNames(needs);
  const [missing, older]: [string[], RestoredReplica['older']] = [[], []];
  const count = { done: 0, all: needs.files.length + needs.databases.length };
  const take = async (what: string, work: () => Promise<boolean>): Promise<number> => {
    const isThere = await work().catch((error: unknown) => {
      if (error instanceof DamagedError) return false;
      throw error;
    });
    if (!isThere) missing.push(what);
    options.onProgress?.(++count.done, count.all);
    return isThere ? 1 : 0;
  };
  let [files, databases] = [0, 0];
  for (const key of needs.files)
    files += await take(`blobs/${key}`, () =>
      writeContent(destination, FILES + key, join(folder, 'blobs', key)),
    );
  const segments = await listDatabases(destination);
  // The server's database may not have changed for a while before this time.
  const until = time ?? Number.MAX_SAFE_INTEGER;
  for (const { ownerId, file } of needs.databases) {
    const own = segments.get(databaseName({ ownerId, file })) ?? [];
    const name = `databases/${ownerId}/${file}`;
    databases += await take(name, async () => {
      const to = join(folder, 'databases', String(ownerId), options.databasesInner, `${file}.sqlite`);
      const used = await restoreDatabase(destination, own, until, to);
      if (used?.isOlder) older.push({ name, at: used.at });
      return used !== undefined;
    });
  }
  if (await destination.get(SECRET))
    await take(SECRET, () => writeContent(destination, SECRET, join(folder, SECRET)));
  const last = await readWriter(destination);
  if (last?.writer === 'damaged') missing.push(WRITERS);
  const continues = last && last.writer !== 'damaged' ? last.writer.folderId : undefined;
  writeIdentity(folder, { id: randomUUID(), ...(continues !== undefined && { continues }) });
  return { at: point.at, generation: point.generation.name, files, databases, missing, older };
}

async function rebuild(
  destination: Destination,
  point: Parameters<typeof walk>[1],
  path: string,
): Promise<void> {
  const file = openSync(path, 'w', 0o600);
  const write = (content: Buffer, at: number) => {
    for (let done = 0; done < content.length; )
      done += writeSync(file, content, done, content.length - done, at + done);
  };
  try {
    const bytes = await walk(destination, point, {
      base: (offset, content) => write(content, offset),
      page: (page, pageBytes, content) => write(content, (page - 1) * pageBytes),
    });
    ftruncateSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function readChecked<Needs>(path: string, readNeeds: (database: Database) => Needs): Needs {
  const database = new Database(path, { readwrite: true });
  try {
    const [row] = database.prepare('pragma quick_check(1)').values();
    if (row?.[0] !== 'ok') throw new ReplicaError(`The restored database is damaged: ${row?.[0]}`);
    return readNeeds(database);
  } finally {
    database.close();
  }
}

/** Somebody else may have written the replica: no name in it may lead out of the folder. */
function assertNames({ files, databases }: ReturnType<RestoreOptions['readNeeds']>): void {
  const wrong =
    files.find((key) => !isKey(key)) ??
    databases.find(({ ownerId }) => !Number.isSafeInteger(ownerId))?.ownerId;
  if (wrong === undefined) return;
  throw new ReplicaError(
    `The replica was not written by Quire: it names the file ${JSON.stringify(wrong)}. Nothing was restored.`,
  );
}

function explainDamage(error: unknown): never {
  if (!(error instanceof DamagedError)) throw error;
  const goodAt = error instanceof DamagedPointError ? error.lastGoodAt : undefined;
  const advice =
    goodAt === undefined
      ? 'There is no whole state before that. Restore a backup, or a later time.'
      : `The last good time before that is ${sayTime(goodAt)}. To restore it, add --at ${sayTime(goodAt)}`;
  throw new ReplicaError(`The replica is damaged: ${error.message}. Nothing was restored. ${advice}`);
}

export function sayTime(at: number): string {
  return new Date(at).toISOString();
}
