import { request, toApiError } from '../../api.ts';
import { saveFile } from '../../ui/index.ts';
import { place } from '../api.ts';

/** Downloads the database as a file, telling how far it has come; returns how large it is. */
export async function downloadExport(slug: string, onProgress: (bytes: number) => void): Promise<number> {
  const response = await request('GET', `${place(slug)}/database/export`);
  if (!response.ok) throw await toApiError(response);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read().catch(() => {
      throw new Error('The export broke off before its end. Nothing was saved; try again.');
    });
    if (done) break;
    chunks.push(value);
    bytes += value.length;
    onProgress(bytes);
  }
  saveFile(`${slug}.sql`, new Blob(chunks, { type: 'application/sql' }));
  return bytes;
}
