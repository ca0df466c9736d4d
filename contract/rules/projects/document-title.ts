import { decodeHTML } from 'entities/decode';

/** The title of a document; undefined if it has none. */
export function readTitle(html: string): string | undefined {
  // Both parts end at the next tag, so that a document with many titles that never end is read once.
  const [, title = ''] = /<title[^<>]*>([^<]*)<\/title>/i.exec(html) ?? [];
  return decodeHTML(title).trim() || undefined;
}
