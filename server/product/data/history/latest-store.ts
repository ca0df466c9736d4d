import { sql } from 'kysely';
import type { Db } from '../../../platform/storage/index.ts';

/**
 * The time of the last change of a page's data: of an entry of the log, of a schema, or of a record that was created,
 * whose id has its time. 0 without any. Each is one step in an index, for each collection.
 */
export async function findLatest(db: Db, pageId: number): Promise<number> {
  const { rows } = await sql<{ changed: number | null; described: number | null; created: string | null }>`
    select
      max((select max(at) from record_changes where collection_id = collections.id)) as changed,
      max((select max(at) from collection_changes where collection_id = collections.id)) as described,
      max((select max(id) from records where collection_id = collections.id)) as created
    from collections where page_id = ${pageId}`.execute(db);
  const { changed, described, created } = rows[0] ?? {};
  return Math.max(Number(changed ?? 0), Number(described ?? 0), readTime(created ?? ''));
}

/** The time in the id of a record: its first twelve hexadecimal digits. */
const readTime = (id: string) => Number.parseInt(id.slice(0, 13).replace('-', ''), 16) || 0;
