import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { MAX_HTML_BYTES } from '../../../../contract/rules/limits.ts';
import { isStorable } from '../../../../contract/rules/text.ts';
import { AppError } from '../../../lib/errors.ts';
import { wrongFile } from './uploads/unpack.ts';

/** The document of a page that was sent as a file. */
export async function readHtml(bytes: Blob): Promise<{ text: string; size: number }> {
  if (bytes.size > MAX_HTML_BYTES)
    throw new AppError(
      'PAYLOAD_TOO_LARGE',
      '{path} has {size} bytes; at most {count} are allowed. Move parts of it to files.',
      { path: INDEX_PATH, size: bytes.size, count: MAX_HTML_BYTES },
    );
  const text = decode(await bytes.arrayBuffer());
  if (text === undefined || !isStorable(text))
    throw wrongFile(INDEX_PATH, 'must be UTF-8 text without NUL characters');
  if (text === '') throw wrongFile(INDEX_PATH, 'must not be empty');
  return { text, size: Buffer.byteLength(text) };
}

function decode(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
