import { request, toApiError } from '../api.ts';
import { t } from '../texts/index.ts';
import { saveFile } from '../ui/index.ts';
import { databasePath } from './api.ts';

/** Downloads the database as a file and reports progress. Returns the size in bytes. */
export async function downloadExport(slug: string, onProgress: (bytes: number) => void): Promise<number> {
  const response = await request('GET', `${databasePath(slug)}/export`);
  if (!response.ok) throw await toApiError(response);
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
