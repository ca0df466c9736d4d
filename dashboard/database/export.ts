import { databaseEndpoints } from '../../contract/functions/database-endpoints.ts';
import { request } from '../api.ts';
import { t } from '../texts/index.ts';
import { saveFile } from '../ui/index.ts';

/** Downloads the database as a file and reports progress. Returns the size in bytes. */
export async function downloadExport(slug: string, onProgress: (bytes: number) => void): Promise<number> {
  const response = await request(databaseEndpoints.exportDatabase, { params: { slug } });
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read().catch(() => {
      throw new Error(t('The connection was lost during the export. No file was saved. Try again.'));
    });
    if (done) break;
    chunks.push(value);
    bytes += value.length;
    onProgress(bytes);
  }
  saveFile(`${slug}.sql`, new Blob(chunks, { type: 'application/sql' }));
  return bytes;
}
