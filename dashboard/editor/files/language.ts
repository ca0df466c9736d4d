import type { Language } from '../languages.ts';

const LANGUAGES: Record<string, Language> = {
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  css: 'css',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'typescript',
  json: 'json',
  map: 'json',
  webmanifest: 'json',
  geojson: 'json',
  jsonld: 'json',
  gltf: 'json',
  md: 'markdown',
  sql: 'sql',
  svg: 'xml',
  xml: 'xml',
  rss: 'xml',
  atom: 'xml',
  xsl: 'xml',
};

/** The language that a file is highlighted in, by its name. */
export const chooseLanguage = (path: string): Language => LANGUAGES[readExtension(path)] ?? 'text';
export const readExtension = (path: string) => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
