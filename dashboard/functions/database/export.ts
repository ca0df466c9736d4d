import { refusal, request } from '../../api.ts';
import { place } from '../api.ts';

/** Downloads the database as a file, telling how far it has come; returns how large it is. */
export async function downloadExport(slug: string, onProgress: (bytes: number) => void): Promise<number> {
  const response = await request('GET', `${place(slug)}/database/export`);
  if (!response.ok) throw await refusal(response);
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
  save(new Blob(chunks, { type: 'application/sql' }), `${slug}.sql`);
  return bytes;
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Browsers read it after the click, and none takes a minute to begin.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
