import { sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/**
 * The JSON of records as it was sent: PostgreSQL's jsonb sorts the keys. SQLite has that text in `data`. A node of the
 * version before changes only `data`, so a trigger removes a text that no longer fits.
 */
export async function up({ db, isSqlite }: MigrationTools): Promise<void> {
  await db.schema.alterTable('records').addColumn('text', 'text').execute();
  if (isSqlite) return;
  await sql`create or replace function forget_record_text() returns trigger language plpgsql as
    $$ begin new.text := null; return new; end $$`.execute(db);
  await sql`create trigger records_forget_text before update of data on records for each row
    when (new.text is not distinct from old.text and new.data is distinct from old.data)
    execute function forget_record_text()`.execute(db);
}
