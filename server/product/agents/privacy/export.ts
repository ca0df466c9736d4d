import { type ExportFile, exportFile } from '../../../lib/formats/export-files.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { findSpec } from '../spec/store.ts';

/** The agent spec of a page. */
export async function* exportSpec(db: Db, page: { id: number }, folder: string): AsyncGenerator<ExportFile> {
  const row = await findSpec(db, page.id);
  if (row) yield exportFile(`${folder}/agent-spec.json`, row.spec);
}
