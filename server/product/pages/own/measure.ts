import { addSizes, type Sizes } from '../../../lib/sizes.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { measureAgentFunctions } from '../editing/agent-function-store.ts';
import { measureFiles } from '../files/store.ts';
import { measurePeople } from '../model/access-store.ts';
import { measureDocuments } from '../model/page-store.ts';

/** The bytes that pages are charged for documents and what describes them, and for files. */
export async function measurePages(db: Db, ids: number[]): Promise<{ documents: Sizes; files: Sizes }> {
  return {
    documents: addSizes(
      await measureDocuments(db, ids),
      await measureAgentFunctions(db, ids),
      await measurePeople(db, ids),
    ),
    files: await measureFiles(db, ids),
  };
}
