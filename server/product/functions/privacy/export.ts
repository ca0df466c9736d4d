import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ExportFile, exportFile, exportLines } from '../../../lib/formats/export-files.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { Databases } from '../../../runtime/databases/index.ts';
import { listSavedQueries } from '../database/saved-queries/store.ts';
import { toJobDetail } from '../jobs/wire.ts';
import { listStats } from '../logs/stats-store.ts';
import { toLogEntry, toStats } from '../logs/wire.ts';
import { type FunctionRow, findFunctionById } from '../model/store.ts';
import { findVersion, listVersions } from '../model/version-store.ts';
import { toOwnListItem } from '../model/wire.ts';
import { listSchedules } from '../schedules/store.ts';
import { toSchedule } from '../schedules/wire.ts';
import { listSecretSizes } from '../secrets/store.ts';
import { listTriggers } from '../triggers/store.ts';
import { toNewTrigger } from '../triggers/wire.ts';
import { eachFunction, eachJob, eachLogEntry, listDatabases } from './store.ts';

/** The dependencies of exporting functions. */
interface FunctionExport {
  db: Db;
  databases: Pick<Databases, 'copyOut'>;
}

/** The functions of a user, and their databases. The values of secrets are left out: only code should have them. */
export async function* exportFunctions(context: FunctionExport, userId: number): AsyncGenerator<ExportFile> {
  const { db } = context;
  for await (const { id } of eachFunction(db, userId)) {
    const row = await findFunctionById(db, id);
    if (row?.owner_id === userId) yield* exportFunction(db, row, `functions/${row.slug}`);
  }
  for (const { id } of await listDatabases(db, userId)) {
    yield* exportDatabase(context, userId, id);
    const queries = await listSavedQueries(db, id);
    yield exportFile(
      `databases/${id}/saved-queries.json`,
      queries.map(({ name, sql }) => ({ name, sql })),
    );
  }
}

async function* exportFunction(db: Db, row: FunctionRow, folder: string): AsyncGenerator<ExportFile> {
  yield exportFile(`${folder}/function.json`, {
    ...toOwnListItem(row),
    version: row.version,
    aiDailyLimit: row.ai_daily_credits,
    databaseFolder: row.database_id === null ? null : `databases/${row.database_id}`,
    schedules: (await listSchedules(db, row.id)).map(toSchedule),
    on: (await listTriggers(db, row.id)).map(toNewTrigger),
    secretNames: (await listSecretSizes(db, row.id)).map(({ name }) => name),
    statistics: (await listStats(db, row.id, 0)).map(toStats),
  });
  yield exportFile(`${folder}/code.js`, row.code);
  for (const { version, created_at, note } of await listVersions(db, row.id)) {
    const found = await findVersion(db, row.id, version);
    if (!found) continue;
    const to = `${folder}/versions/${version}`;
    yield exportFile(`${to}/version.json`, {
      version,
      createdAt: toTimestamp(created_at),
      note: note ?? '',
    });
    yield exportFile(`${to}/code.js`, found.code);
    const files = JSON.parse(found.files ?? '{}') as Record<string, string>;
    for (const [path, source] of Object.entries(files)) yield exportFile(`${to}/files/${path}`, source);
  }
  yield exportLines(`${folder}/logs.jsonl`, logs(db, row.id));
  yield exportLines(`${folder}/jobs.jsonl`, jobs(db, row.id));
}

async function* logs(db: Db, functionId: number) {
  for await (const row of eachLogEntry(db, functionId)) yield toLogEntry(row);
}

async function* jobs(db: Db, functionId: number) {
  for await (const row of eachJob(db, functionId)) yield toJobDetail(row);
}

/** A database as SQLite files, as it is at one moment. */
async function* exportDatabase(
  { databases }: FunctionExport,
  ownerId: number,
  databaseId: number,
): AsyncGenerator<ExportFile> {
  const to = `databases/${databaseId}`;
  const copy = await databases.copyOut(ownerId, databaseId).catch((error: unknown) => String(error));
  if (typeof copy === 'string') {
    yield exportFile(
      `${to}/NOT-COPIED.txt`,
      `This database could not be copied. ${copy}\nTry again later.\n`,
    );
    return;
  }
  try {
    for (const file of await readdir(copy.folder)) {
      const path = join(copy.folder, file);
      const { size } = await stat(path);
      const name = file.replace(/^[0-9a-f]+\./, 'database.');
      yield { path: `${to}/${name}`, size, bytes: readPieces(path) };
    }
  } finally {
    await copy.end();
  }
}

/** Opens the file only when it is read, so that an unread file is never left open. */
async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}
