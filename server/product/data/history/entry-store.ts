import { sql } from 'kysely';
import type { Db } from '../../../platform/storage/index.ts';

/** SQL for the entries of the record log, as people see them. */

interface Page {
  limit: number;
  /** Only entries before the one with this id. */
  before?: number | undefined;
}

/** The changes of a record, newest first. */
export function listChanges(db: Db, collectionId: number, recordId: string, { limit, before }: Page) {
  let query = db
    .selectFrom('record_changes')
    .leftJoin('users', 'users.id', 'record_changes.changed_by')
    .select(['record_changes.id', 'at', 'action', 'before', 'changed_by', 'users.username'])
    .where('collection_id', '=', collectionId)
    .where('record_id', '=', recordId);
  if (before !== undefined) query = query.where('record_changes.id', '<', before);
  return query.orderBy('record_changes.id', 'desc').limit(limit).execute();
}

/** The last entry of a record. Undefined if it was never changed, or too long ago. */
export function findLastEntry(db: Db, collectionId: number, recordId: string) {
  return db
    .selectFrom('record_changes')
    .select(['action', 'before', 'created_by'])
    .where('collection_id', '=', collectionId)
    .where('record_id', '=', recordId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Deleted records of a collection, or those of one author, the last deleted first. */
export function listDeleted(
  db: Db,
  collectionId: number,
  { limit, before, createdBy }: Page & { createdBy?: number | undefined },
) {
  let query = db
    .selectFrom('record_changes as entry')
    .innerJoin('users as author', 'author.id', 'entry.created_by')
    .leftJoin('users', 'users.id', 'entry.changed_by')
    .select(['entry.id', 'entry.at', 'entry.record_id', 'entry.size', 'entry.created_by'])
    .select(['entry.created_at', 'entry.updated_at', 'entry.changed_by', 'users.username'])
    .select('author.username as author')
    .select(sql<string>`entry.before`.as('text'))
    .where('entry.collection_id', '=', collectionId)
    .where('entry.action', '=', 'delete')
    .where('entry.before', 'is not', null)
    .where(
      sql<boolean>`not exists (select 1 from records where records.collection_id = entry.collection_id and records.id = entry.record_id)`,
    )
    .where(
      sql<boolean>`not exists (select 1 from record_changes as later where later.collection_id = entry.collection_id and later.record_id = entry.record_id and later.id > entry.id)`,
    );
  if (createdBy !== undefined) query = query.where('entry.created_by', '=', createdBy);
  if (before !== undefined)
    query = query.where(
      sql<boolean>`(entry.at, entry.id) < (select last.at, last.id from record_changes as last where last.id = ${before} and last.collection_id = ${collectionId})`,
    );
  return query.orderBy('entry.at', 'desc').orderBy('entry.id', 'desc').limit(limit).execute();
}

/** A collection, with the time since when its log is complete. */
export function readLogStart(db: Db, collectionId: number): Promise<{ name: string; log_from: number }> {
  return db
    .selectFrom('collections')
    .select(['name', 'log_from'])
    .where('id', '=', collectionId)
    .executeTakeFirstOrThrow();
}
