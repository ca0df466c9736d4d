import { MAX_OWN_REPORTS } from '../../../../contract/reports/limits.ts';
import { type ExportFile, exportFile } from '../../../lib/formats/export-files.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { listOfPage } from '../store.ts';
import { toOwnReport } from '../wire.ts';

/** The last reports of a page, without who sent them. */
export async function* exportReports(
  db: Db,
  page: { id: number },
  folder: string,
): AsyncGenerator<ExportFile> {
  const rows = await listOfPage(db, page.id, MAX_OWN_REPORTS);
  if (rows.length > 0) yield exportFile(`${folder}/reports.json`, rows.map(toOwnReport));
}
