import { cssLanguage } from '@codemirror/lang-css';
import { htmlLanguage } from '@codemirror/lang-html';
import { javascriptLanguage, typescriptLanguage } from '@codemirror/lang-javascript';
import { jsonLanguage } from '@codemirror/lang-json';
import { markdownLanguage } from '@codemirror/lang-markdown';
import { SQLite } from '@codemirror/lang-sql';
import type { Extension } from '@codemirror/state';

export type Language =
  | 'css'
  | 'html'
  | 'javascript'
  | 'json'
  | 'markdown'
  | 'sql'
  | 'text'
  | 'typescript'
  | 'xml';

/**
 * The languages without their extras: automatic closing tags would duplicate those that people type, and a completion
 * that Enter accepts would swallow the line break.
 */
export const LANGUAGES: Record<Language, Extension> = {
  css: cssLanguage,
  html: htmlLanguage,
  javascript: javascriptLanguage,
  json: jsonLanguage,
  markdown: markdownLanguage,
  sql: SQLite.language,
  text: [],
  typescript: typescriptLanguage,
  // Only for its colors, and those of HTML are the same.
  xml: htmlLanguage,
};
