import { fileType, isTextType } from '../../../contract/rules/file-types.ts';
import { chooseLanguage, readExtension } from '../../editor/files/index.ts';

/** How the dashboard shows a file, by its name. */
export type FileKind = 'text' | 'image' | 'audio' | 'video' | 'font' | 'other';

export function fileKind(path: string): FileKind {
  const type = fileType(path);
  if (isTextType(type)) return 'text';
  const [family = ''] = type.split('/');
  return family === 'image' || family === 'audio' || family === 'video' || family === 'font'
    ? family
    : 'other';
}

export const isHtml = (path: string) => chooseLanguage(path) === 'html';
export const isSvg = (path: string) => readExtension(path) === 'svg';

/** A text in the editor above this size is slow to work with. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** The bytes as text, or undefined if they are not text that can be edited without changing the rest. */
export async function decodeText(bytes: Blob): Promise<string | undefined> {
  if (bytes.size > MAX_TEXT_BYTES) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await bytes.arrayBuffer());
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
