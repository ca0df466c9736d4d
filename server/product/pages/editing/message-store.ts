import { sql } from 'kysely';
import { countRows, type Db } from '../../../platform/storage/index.ts';

/** SQL for the editing threads of pages. */

export function countMessages(db: Db, pageId: number): Promise<number> {
  return countRows(db.selectFrom('page_messages').where('page_id', '=', pageId));
}

/** The last messages, newest first, by id and size. */
export function listMessageSizes(db: Db, pageId: number, before: number | undefined, limit: number) {
  return db
    .selectFrom('page_messages')
    .select(['id', sql<number>`octet_length(content)`.as('size')])
    .where('page_id', '=', pageId)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export function listMessagesFrom(db: Db, pageId: number, first: number, last: number) {
  return db
    .selectFrom('page_messages')
    .selectAll()
    .where('page_id', '=', pageId)
    .where('id', '>=', first)
    .where('id', '<=', last)
    .orderBy('id')
    .execute();
}

export function insertMessage(
  db: Db,
  message: { pageId: number; role: 'user' | 'assistant'; content: string; now: number },
) {
  return db
    .insertInto('page_messages')
    .values({
      page_id: message.pageId,
      role: message.role,
      content: message.content,
      created_at: message.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}
