import type { Rules } from '../../../../contract/data/collection-rules.ts';
import {
  dashed,
  findStorageType,
  MODE_OF,
  type StorageType,
} from '../../../../contract/rules/storage-modes.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Caller } from '../../../platform/http/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../../ports.ts';
import { type Action, type DataActor, demand, may } from './access.ts';
import { checkCollection } from './collection-name.ts';

/** The target of a request for data: the page, the kind of its data, and the caller. */
export interface DataTarget {
  page: PageRow;
  storageType: StorageType;
  /** The caller; undefined if they are not logged in. `may` then decides what is allowed. */
  actor: DataActor | undefined;
  username: string;
  /** How many deliveries of changes to functions led to the request, one after the other. */
  round?: number | undefined;
}

/** A target with a collection. The collection may not exist yet: the first write creates it. */
export interface InCollection extends DataTarget {
  collection: string;
}

/** The scope that a token needs. */
export const toScope = (storageType: StorageType, verb: 'read' | 'write') => `${dashed(storageType)}:${verb}`;

/** Gives the caller access to the page's data, or refuses. */
export async function findDataTarget(
  { db, pages }: { db: Db; pages: PageDirectory },
  page: PageRow | undefined,
  caller: Caller,
  storageType: StorageType,
): Promise<DataTarget> {
  const found = await pages.see(db, page, caller);
  if (found.storage_mode !== MODE_OF[storageType]) {
    throw otherMode(found, MODE_OF[storageType]);
  }
  const { actor: user } = caller;
  const actor = user && { userId: user.userId, role: await pages.resolveRole(db, found, user) };
  const { round } = caller;
  return { page: found, storageType, actor, username: user?.username ?? '', round };
}

/** What an action is checked against: the rules of the collection, and the record, if there is one. */
interface About {
  rules?: Rules | undefined;
  record?: { created_by: number } | undefined;
}

/** The error for a request whose URL names another storage mode than the page has. */
function otherMode({ id, storage_mode: mode }: PageRow, needed: string): AppError {
  const type = findStorageType(mode);
  return new AppError(
    'CONFLICT',
    type
      ? 'This page is in the storage mode {mode}; this needs {needed}. Use /api/pages/{id}/{type}, or change storage_mode with PATCH /api/pages/{id}.'
      : 'This page is in the storage mode {mode}; this needs {needed}. Change storage_mode with PATCH /api/pages/{id}.',
    { mode, needed, id: String(id), ...(type && { type: dashed(type) }) },
    { body: { storage_mode: mode } },
  );
}

/** Fails if the caller must not do an action with a record, or, without a record, with the collection. */
export function demandAccess(
  target: Pick<DataTarget, 'actor' | 'storageType'>,
  action: Action,
  { rules, record }: About,
): void {
  const { actor, storageType } = target;
  const owned = record && { createdBy: record.created_by };
  const verdict = may(actor, action, owned, { storageType, rules });
  if (verdict === 'allowed') return;
  // A caller who cannot read a record cannot change it, and should get that reason.
  if (rules && (action === 'update' || action === 'delete')) demandAccess(target, 'read', { rules, record });
  demand(verdict, action, 'record', rules);
}

export function inCollection(target: DataTarget, name: string): InCollection {
  return { ...target, collection: checkCollection(name) };
}
