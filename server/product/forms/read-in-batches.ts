import { setImmediate } from 'node:timers/promises';
import type { Db } from '../../platform/storage/index.ts';
import { type MessageWithFiles, withFiles } from './inbox.ts';
import { listMessages } from './store.ts';

/** Messages that are read at once, and their bytes: few, because other requests wait. */
const BATCH = { limit: 100, maxBytes: 256 * 1024 };

/** All messages of a form, oldest first. */
export async function* readInBatches(
  db: Db,
  place: { pageId: number; form: string },
): AsyncGenerator<MessageWithFiles[]> {
  for (let after = ''; ; ) {
    const { rows, hasMore } = await listMessages(db, place, { ...BATCH, after });
    if (rows.length > 0) yield await withFiles(db, rows);
    if (!hasMore) return;
    after = rows.at(-1)?.id ?? '';
    // SQLite answers without waiting, so other requests get a turn only here.
    await setImmediate();
  }
}
