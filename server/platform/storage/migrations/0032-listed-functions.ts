import { sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

const SHOWN = ['owner_id', 'display_name', 'description', 'database_id', 'created_at', 'updated_at'];
const CONDITIONS = ['is_public', 'taken_down_at', 'owner_blocked_at'];

/**
 * Functions that anyone can call, in the order of the list. On SQLite the index has every column that the list uses, so
 * that listing and searching read no code. PostgreSQL stores code apart from its row, and limits the size of entries.
 */
export async function up({ db, isSqlite }: MigrationTools): Promise<void> {
  await db.schema
    .createIndex('functions_listed')
    .on('functions')
    .columns(isSqlite ? ['slug', ...SHOWN, ...CONDITIONS] : ['slug'])
    .where('is_public', '=', sql.lit(1))
    .where('taken_down_at', 'is', null)
    .where('owner_blocked_at', 'is', null)
    .execute();
}
