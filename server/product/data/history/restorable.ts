import type { RuledAction } from '../../../../contract/data/collection-rules.ts';
import { findStorageType } from '../../../../contract/rules/storage-modes.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import { findReach } from '../access/access.ts';
import { parseRules } from '../collections/collection.ts';
import { listStoredCollections, type StoredCollection } from '../collections/store.ts';

/** What of a page is restored, and by whom. Null is an admin who has deleted their account meanwhile. */
export interface Restored {
  collections?: readonly string[] | undefined;
  /** Collections that stay as they are. */
  except?: readonly string[] | undefined;
  by: number | null;
}

/** The id of no user. */
const NOBODY = 0;
const CHANGES: readonly RuledAction[] = ['create', 'update', 'delete'];

/** Whether somebody restores schemas and rules too: only the owner of a page sets them. */
export const isForOwner = (page: PageRow, { by }: Restored) => by === page.owner_id;

/**
 * The collections whose records are restored, and the names of those that only the owner could restore, because their
 * rules keep admins from changing all records. The kind of data that the page does not have now stays as it is, and so
 * do the private records of visitors, which belong to them.
 */
export async function listRestorable(
  db: Db,
  page: PageRow,
  restored: Restored,
): Promise<{ restorable: StoredCollection[]; refused: string[] }> {
  const type = findStorageType(page.storage_mode);
  const { collections, except = [], by } = restored;
  const wanted = (await listStoredCollections(db, page.id)).filter(
    ({ name, storage_type }) =>
      storage_type === type &&
      storage_type !== 'solo_data' &&
      (!collections || collections.includes(name)) &&
      !except.includes(name),
  );
  if (isForOwner(page, restored)) return { restorable: wanted, refused: [] };
  const admin = { userId: by ?? NOBODY, role: 'admin' } as const;
  const mayChange = (collection: StoredCollection) =>
    CHANGES.every(
      (action) =>
        findReach(admin, action, {
          storageType: collection.storage_type,
          rules: parseRules(collection),
        }) === 'all',
    );
  return {
    restorable: wanted.filter(mayChange),
    refused: wanted.filter((each) => !mayChange(each)).map(({ name }) => name),
  };
}
