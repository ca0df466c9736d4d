import { findCalledFunctions } from '../../../../contract/rules/projects/called-functions.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { findDocumentStart } from '../model/page-store.ts';

/** Characters of a document that are searched, because this is done for each request. */
const MAX_LETTERS = 256 * 1024;
const MAX_FUNCTIONS = 50;

/** The slugs of the functions that the document of a page calls. */
export async function calledFunctions(db: Db, pageId: number): Promise<string[]> {
  return findCalledFunctions((await findDocumentStart(db, pageId, MAX_LETTERS)) ?? '', MAX_FUNCTIONS);
}
