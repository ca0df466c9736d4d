import type { RuledAction, Rules } from '../../../../contract/data/collection-rules.ts';
import type { DataAccess, Reaches } from '../../../../contract/data/data-access.ts';
import { storageTypeOf } from '../../../../contract/rules/storage-modes.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import { type DataActor, reachOf } from '../access.ts';
import { rulesByName } from './collection.ts';

/** What someone can do with the data of a page, for its scripts. Undefined if the page stores none. */
export async function accessOf(
  db: Db,
  page: PageRow,
  actor: DataActor | undefined,
): Promise<DataAccess | undefined> {
  const storageType = storageTypeOf(page.storage_mode);
  if (!storageType) return undefined;
  const reaches = (rules?: Rules): Reaches => {
    const reach = (action: RuledAction) => reachOf(actor, action, { storageType, rules });
    return { read: reach('read'), create: reach('create'), update: reach('update'), delete: reach('delete') };
  };
  const ruled = [...(await rulesByName(db, page.id, storageType))];
  return {
    byMode: reaches(),
    byRules: Object.fromEntries(ruled.map(([name, rules]) => [name, reaches(rules)])),
  };
}
