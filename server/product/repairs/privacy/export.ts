import { MAX_REPAIRS_LISTED } from '../../../../contract/repairs/kinds.ts';
import { type ExportFile, exportFile } from '../../../lib/formats/export-files.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { toRepair } from '../report.ts';
import { listRepairs } from '../store.ts';

/** The last repairs of a page, with their evidence. */
export async function* exportRepairs(
  { db, baseUrl }: { db: Db; baseUrl: string },
  page: { id: number },
  folder: string,
): AsyncGenerator<ExportFile> {
  const rows = await listRepairs(db, page.id, MAX_REPAIRS_LISTED);
  if (rows.length === 0) return;
  yield exportFile(
    `${folder}/repairs.json`,
    rows.map((row) => toRepair(row, baseUrl)),
  );
}
