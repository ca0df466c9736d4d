import type {
  DeletedRecordList,
  HistoryQuery,
  PastChangeList,
} from '../../../../contract/data/record-history.ts';
import type { UserRef } from '../../../../contract/references.ts';
import type { RecordData } from '../../../../contract/rules/record-data.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { findReach } from '../access/access.ts';
import { demandAccess, type InCollection } from '../access/data-target.ts';
import { lookUpCollection, parseRules } from '../collections/collection.ts';
import type { CollectionRow } from '../collections/store.ts';
import type { ReadContext } from '../records/select.ts';
import { findRecord } from '../records/store.ts';
import { toRecord } from '../records/wire.ts';
import { findLastEntry, listChanges, listDeleted } from './entry-store.ts';

/** Lists what a record was before each change, for those who can read it now. */
export async function readChanges(
  { db }: ReadContext,
  target: InCollection,
  recordId: string,
  { limit, before }: HistoryQuery,
): Promise<PastChangeList> {
  const collection = await lookUpCollection(db, target);
  const rules = parseRules(collection);
  // Check before the record is looked up, so that the response does not reveal whether it exists.
  demandAccess(target, 'read', { rules });
  if (!collection) throw notFound('This record was not found.');
  const row = await findRecord(db, collection.id, recordId);
  if (row) demandAccess(target, 'read', { rules, record: row });
  else await demandDeleted(db, target, collection, recordId);
  // One more than requested shows whether there are more.
  const entries = await listChanges(db, collection.id, recordId, { limit: limit + 1, before });
  const shown = entries.slice(0, limit);
  return {
    changes: shown.map(({ at, action, before: text, changed_by, username }) => ({
      at: toTimestamp(at),
      by: toUser(changed_by, username),
      action,
      before: text === null ? null : (JSON.parse(text) as RecordData),
    })),
    next: entries.length > limit ? (shown.at(-1)?.id ?? null) : null,
  };
}

/** Lists deleted records: one's own, or all for those who manage the page. */
export async function readDeleted(
  { db, slowDb, inTurn }: ReadContext,
  target: InCollection,
  { limit, before }: HistoryQuery,
): Promise<DeletedRecordList> {
  const { actor, page, storageType } = target;
  const collection = await lookUpCollection(db, target);
  const rules = parseRules(collection);
  demandAccess(target, 'read', { rules });
  if (!actor) throw new AppError('UNAUTHORIZED', 'Log in first to find your own records.');
  if (!collection) return { records: [], next: null };
  // Rules can hide the records of others from those who manage the page, too.
  const seesAll = isManager(target) && findReach(actor, 'read', { storageType, rules }) === 'all';
  const createdBy = seesAll ? undefined : actor.userId;
  const rows = await inTurn(String(page.id), () =>
    listDeleted(slowDb, collection.id, { limit: limit + 1, before, createdBy }),
  );
  const shown = rows.slice(0, limit);
  return {
    records: shown.map(({ record_id, author, text, at, changed_by, username, ...row }) => ({
      ...toRecord({ ...row, id: record_id, username: author }, JSON.parse(text) as RecordData, target),
      deletedAt: toTimestamp(at),
      deletedBy: toUser(changed_by, username),
    })),
    next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
  };
}

/**
 * Fails unless a record was deleted and the caller can have it back: its author, or those who manage the page. Nobody
 * can have back what was deleted for good.
 */
export async function demandDeleted(
  db: Db,
  target: InCollection,
  collection: CollectionRow,
  recordId: string,
): Promise<void> {
  const last = await findLastEntry(db, collection.id, recordId);
  if (last?.action !== 'delete' || last.before === null) throw notFound('This record was not found.');
  demandAccess(target, 'read', { rules: parseRules(collection), record: last });
  if (last.created_by !== target.actor?.userId && !isManager(target))
    throw notFound('This record was not found.');
}

/** Whether the caller manages the records of others. Solo data belongs to its visitors alone. */
function isManager({ storageType, actor }: InCollection): boolean {
  return storageType !== 'solo_data' && (actor?.role === 'owner' || actor?.role === 'admin');
}

const toUser = (id: number | null, username: string | null): UserRef | null =>
  id === null || username === null ? null : { id, username };
