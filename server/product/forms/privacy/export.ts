import { type ExportFile, exportLines, safeName } from '../../../lib/formats/export-files.ts';
import type { KeptBlobs } from '../../../platform/blobs/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { MessageWithFiles } from '../inbox.ts';
import { readInBatches } from '../read-in-batches.ts';
import { listForms } from '../store.ts';
import { formFileKey } from '../submit.ts';
import { toMessage } from '../wire.ts';

interface FormExport {
  db: Db;
  kept: Pick<KeptBlobs, 'open'>;
}

/** Exports the messages of a page's forms, with their files. */
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
