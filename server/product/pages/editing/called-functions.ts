import type { Db } from '../../../platform/storage/index.ts';
import { findDocumentStart } from '../model/page-store.ts';

/** Characters of a document that are searched, because this is done for each request. */
const MAX_LETTERS = 256 * 1024;
const MAX_FUNCTIONS = 50;

const CALL =
  /PageFunctions\.call\(\s{0,9}["'`]([a-z0-9-]{1,100})["'`]|\/api\/functions\/([a-z0-9-]{1,100})["'`?]/g;

/** The slugs of the functions that the document of a page calls, as far as they are written in it. */
export async function calledFunctions(db: Db, pageId: number): Promise<string[]> {
  const html = await findDocumentStart(db, pageId, MAX_LETTERS);
  const slugs = new Set<string>();
  for (const [, called, fetched] of html?.matchAll(CALL) ?? []) {
    slugs.add(called ?? fetched ?? '');
    if (slugs.size === MAX_FUNCTIONS) break;
  }
  return [...slugs];
}
