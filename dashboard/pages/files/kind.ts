import { fileType, isTextType } from '../../../contract/rules/file-types.ts';
import type { Language } from '../../editor/index.tsx';

/** How the dashboard shows a file, by its name. */
export type FileKind = 'text' | 'image' | 'audio' | 'video' | 'font' | 'other';

export function kindOf(path: string): FileKind {
  const type = fileType(path);
  if (isTextType(type)) return 'text';
  const [family = ''] = type.split('/');
  return family === 'image' || family === 'audio' || family === 'video' || family === 'font'
    ? family
    : 'other';
}

const LANGUAGES: Record<string, Language> = {
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  css: 'css',
  js: 'javascript',
  mjs: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  json: 'json',
  map: 'json',
  webmanifest: 'json',
  geojson: 'json',
  jsonld: 'json',
  gltf: 'json',
  md: 'markdown',
  svg: 'xml',
  xml: 'xml',
  rss: 'xml',
  atom: 'xml',
  xsl: 'xml',
};

export const languageOf = (path: string): Language => LANGUAGES[extensionOf(path)] ?? 'text';
export const isHtml = (path: string) => languageOf(path) === 'html';
export const isSvg = (path: string) => extensionOf(path) === 'svg';

const extensionOf = (path: string) => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

/** A text in the editor above this size is slow to work with. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** The bytes as text, or undefined if they are not text that can be edited without changing the rest. */
export async function textOf(bytes: Blob): Promise<string | undefined> {
  if (bytes.size > MAX_TEXT_BYTES) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await bytes.arrayBuffer());
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
