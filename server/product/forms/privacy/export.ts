import { setImmediate } from 'node:timers/promises';
import { type ExportFile, exportLines, safeName } from '../../../lib/formats/export-files.ts';
import type { KeptBlobs } from '../../../platform/blobs/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { type MessageWithFiles, withFiles } from '../inbox.ts';
import { listForms, listMessages } from '../store.ts';
import { formFileKey } from '../submit.ts';
import { toMessage } from '../wire.ts';

const BATCH = { limit: 100, maxBytes: 256 * 1024 };

export interface FormExport {
  db: Db;
  kept: Pick<KeptBlobs, 'open'>;
}

/** The messages of a page's forms, and the files that came with them. */
export async function* exportForms(
  { db, kept }: FormExport,
  page: { id: number },
  folder: string,
): AsyncGenerator<ExportFile> {
  for (const { name } of await listForms(db, page.id)) {
    const to = `${folder}/forms/${safeName(name)}`;
    const read = () => readInBatches(db, { pageId: page.id, form: name });
    yield exportLines(`${to}/messages.jsonl`, eachMessage(read()));
    for await (const batch of read())
      for (const file of batch.flatMap(({ files }) => files)) {
        const blob = await kept.open(formFileKey(file.id));
        if (blob) yield { path: `${to}/files/${file.id}-${safeName(file.name)}`, ...blob };
      }
  }
}

async function* eachMessage(batches: AsyncIterable<MessageWithFiles[]>) {
  for await (const batch of batches) for (const message of batch) yield toMessage(message);
}

async function* readInBatches(db: Db, place: { pageId: number; form: string }) {
  for (let after = ''; ; ) {
    const { rows, hasMore } = await listMessages(db, place, { ...BATCH, after });
    if (rows.length > 0) yield await withFiles(db, rows);
    if (!hasMore) return;
    after = rows.at(-1)?.id ?? '';
    // SQLite answers at once, so nothing else here lets other requests have a turn.
    await setImmediate();
  }
}
