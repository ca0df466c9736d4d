import { type ExportFile, exportLines } from '../../../lib/formats/export-files.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import { parseState } from '../state.ts';
import { listMoments } from '../store.ts';
import { readText } from '../words.ts';

const MANY = 1_000_000;

/** The moments of a page: when and why they were kept, and which versions they have. */
export async function* exportMoments(db: Db, page: PageRow, folder: string): AsyncGenerator<ExportFile> {
  const rows = await listMoments(db, page.id, { from: 0, to: Number.MAX_SAFE_INTEGER, limit: MANY });
  if (rows.length > 0) yield exportLines(`${folder}/moments.jsonl`, toLines(rows));
}

async function* toLines(rows: Awaited<ReturnType<typeof listMoments>>) {
  for (const row of rows) {
    const { page, functions } = parseState(row);
    yield {
      at: toTimestamp(row.at),
      name: row.name,
      cause: readText(row.cause_text).text,
      by: row.by,
      page_version: page.version,
      functions: functions.map(({ slug, version }) => ({ slug, version })),
    };
  }
}
