import type { RuledAction, Rules } from '../../../../contract/data/collection-rules.ts';
import type { DataAccess, Reaches } from '../../../../contract/data/data-access.ts';
import type { Role } from '../../../../contract/roles.ts';
import { findStorageType, type StorageType } from '../../../../contract/rules/storage-modes.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import { type DataActor, findReach, listActions } from '../access/access.ts';
import { rulesByName } from './collection.ts';

export type AccessReader = (
  page: PageRow,
  userId: number | undefined,
  role: Role | undefined,
) => Promise<DataAccess | undefined>;

/** The access of a person to the data of a page, for its scripts. Undefined if the page stores no data. */
export function createAccessReader(db: Db): AccessReader {
  return async (page, userId, role) => {
    const storageType = findStorageType(page.storage_mode);
    if (!storageType) return undefined;
    const actor: DataActor | undefined = userId === undefined ? undefined : { userId, role };
    const reaches = (rules?: Rules): Reaches => {
      const reach = (action: RuledAction) => findReach(actor, action, { storageType, rules });
      return {
        read: reach('read'),
        create: reach('create'),
        update: reach('update'),
        delete: reach('delete'),
      };
    };
    const ruled = [...(await rulesByName(db, page.id, storageType))];
    return {
      byMode: reaches(),
      byRules: Object.fromEntries(ruled.map(([name, rules]) => [name, reaches(rules)])),
    };
  };
}

/** The access of a person to collections with given rules, and whether anyone can read them. */
export function describeToolAccess(
  storageType: StorageType,
  actor: { userId: number } | undefined,
  role: Role | undefined,
) {
  return {
    // A caller who is not logged in can be anyone. They learn that they have to log in when they call a tool.
    actionsBy: (rules?: Rules): ReadonlySet<string> =>
      actor
        ? listActions({ userId: actor.userId, role }, { storageType, rules })
        : new Set(['read', 'create', 'update', 'delete']),
    isOpen: (rules?: Rules) => listActions(undefined, { storageType, rules }).has('read'),
  };
}
