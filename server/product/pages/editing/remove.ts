import type { KeptBlobs } from '../../../platform/blobs/index.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../../../platform/storage/index.ts';
import { listDomains } from '../domains/store.ts';
import type { DomainTable } from '../domains/table.ts';
import type { PageFiles } from '../files/page-files.ts';
import { storedFileBytes } from '../files/store.ts';
import { peopleSize } from '../model/access-store.ts';
import type { ChangeContext } from '../model/change-context.ts';
import { deletePage, findPage, lockPage, storedBytes } from '../model/page-store.ts';
import { findPicture } from '../pictures/store.ts';
import { agentFunctionsSize } from './agent-function-store.ts';

/** Removes data of a page that is deleted. Returns the freed bytes. */
export type RemoveWithPage = (tx: Tx, page: PageRow) => Promise<number>;

export interface RemoveContext extends ChangeContext {
  files: Pick<PageFiles, 'release'>;
  kept: KeptBlobs;
  domains: Pick<DomainTable, 'changed'>;
  /** What other slices store with a page and remove with it. */
  removals: RemoveWithPage[];
  /** Deletes what a page has elsewhere and must not outlive it: its branches, and the functions of a branch. */
  removeParts(page: PageRow): Promise<void>;
  /** Deletes most rows of a page in advance, because deleting them with the page would delay other requests. */
  empty(page: PageRow): Promise<void>;
}

/** Deletes the page and everything that belongs to it, permanently. */
export function removePage(context: RemoveContext, actor: Actor, id: number): Promise<void> {
  return removeAdmitted(context, id, async (db, page) => {
    await context.directory.require(db, page, actor, 'own');
  });
}

/** Deletes the page and everything that belongs to it, unless `admit` throws for the page as it is then. */
export async function removeAdmitted(
  context: RemoveContext,
  id: number,
  admit: (db: Db, page: PageRow | undefined) => Promise<void>,
): Promise<void> {
  const found = await findPage(context.db, id);
  await admit(context.db, found);
  if (found) {
    await context.removeParts(found);
    await context.empty(found);
  }
  const domains = await context.db.transaction().execute(async (tx) => {
    const page = await lockPage(tx, id);
    await admit(tx, page);
    if (!page) return [];
    const freed = await listDomains(tx, id);
    let bytes =
      (await storedBytes(tx, id)) +
      (await agentFunctionsSize(tx, id)) +
      (await peopleSize(tx, id)) +
      (await storedFileBytes(tx, id));
    for (const remove of context.removals) bytes += await remove(tx, page);
    await context.chargeUsage(tx, page.owner_id, { pages: -1, bytes: -bytes });
    await context.files.release(tx, id);
    const picture = await findPicture(tx, id);
    if (picture?.blob_key) await context.kept.release(tx, [picture.blob_key]);
    await deletePage(tx, id);
    return freed;
  });
  for (const { domain } of domains) context.domains.changed(domain);
  context.changed(id);
}
