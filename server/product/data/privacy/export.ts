import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { type ExportFile, exportFile } from '../../../lib/formats/export-files.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { readSchemas } from '../collections/define.ts';
import { listStoredCollections, type StoredCollection } from '../collections/store.ts';
import { listRecords } from '../records/store.ts';
import { recordWriter } from '../records/wire.ts';
import { listPastEntries } from './store.ts';

/** Records that are read at once: few, because other requests wait, and a record can be large. */
const BATCH = 50;

/**
 * Exports the records of a page that its owner can read: in solo mode only their own, as those of visitors are private
 * to them.
 */
export async function* exportRecords(
  db: Db,
  page: { id: number; owner_id: number },
  folder: string,
): AsyncGenerator<ExportFile> {
  const schemas = await readSchemas(db, page.id);
  if (schemas.length > 0) yield exportFile(`${folder}/data/schemas.json`, schemas);
  for (const collection of await listStoredCollections(db, page.id)) {
    const createdBy = collection.storage_type === 'solo_data' ? page.owner_id : undefined;
    yield recordsFile(db, collection, `${folder}/data`, createdBy);
    yield historyFile(db, collection, `${folder}/data`, createdBy);
  }
}

/** What the records of a collection, or those of one creator, were before each change, oldest first, as lines of JSON. */
export function historyFile(
  db: Db,
  { id, name, storage_type }: StoredCollection,
  folder: string,
  createdBy: number | undefined,
): ExportFile {
  async function* lines() {
    for (let after = 0; ; ) {
      const entries = await listPastEntries(db, id, createdBy, { after, limit: BATCH });
      for (const { record_id, at, action, before } of entries)
        yield `{"record":"${record_id}","at":"${toTimestamp(at)}","action":"${action}","before":${before ?? 'null'}}\n`;
      if (entries.length < BATCH) return;
      after = entries.at(-1)?.id ?? 0;
      await setImmediate();
    }
  }
  return { path: `${folder}/${storage_type}/${name}.history.jsonl`, lines: lines() };
}

/** The records of a collection, or those of one creator, as lines of JSON. */
export function recordsFile(
  db: Db,
  { id, name, storage_type }: StoredCollection,
  folder: string,
  createdBy: number | undefined,
): ExportFile {
  async function* lines() {
    const write = recordWriter({ collection: name, storageType: storage_type });
    for (let after = ''; ; ) {
      const rows = await listRecords(
        db,
        { collectionId: id, createdBy },
        {
          keys: [sql`records.id`],
          order: 'asc',
          limit: BATCH,
          offset: 0,
          ...(after && { cursor: { id: after, direction: 'after' } }),
        },
      );
      for (const row of rows) yield `${write(row)}\n`;
      if (rows.length < BATCH) return;
      after = rows.at(-1)?.id ?? '';
      // SQLite answers without waiting, so other requests get a turn only here.
      await setImmediate();
    }
  }
  return { path: `${folder}/${storage_type}/${name}.jsonl`, lines: lines() };
}
