import { sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/** Every column that holds a key, or counts rows. */
const COLUMNS: Record<string, string[]> = {
  users: ['id'],
  usage: ['user_id'],
  credit_accounts: ['user_id'],
  login_sessions: ['id', 'user_id'],
  tokens: ['id', 'user_id'],
  pages: ['id', 'owner_id'],
  page_versions: ['page_id', 'author_id'],
  page_old_slugs: ['page_id'],
  page_messages: ['id', 'page_id'],
  agent_specs: ['page_id'],
  function_databases: ['id', 'owner_id'],
  functions: ['id', 'owner_id', 'database_id'],
  function_secrets: ['function_id'],
  function_logs: ['id', 'function_id'],
  function_stats: ['function_id'],
  collections: ['id', 'page_id'],
  records: ['collection_id', 'created_by'],
  record_counts: ['collection_id', 'user_id', 'records'],
  team_members: ['page_id', 'user_id'],
  team_invites: ['page_id', 'created_by'],
  team_files: ['page_id', 'uploaded_by'],
  ledger_transfers: ['user_id', 'page_id'],
  credit_reservations: ['user_id', 'page_id'],
  credit_consents: ['user_id', 'page_id'],
  images: ['owner_id', 'page_id'],
};

/**
 * Makes keys 64 bits wide on PostgreSQL, as on SQLite. Every function call, login and rolled-back insert uses up a key,
 * and writes fail after the last one. Each table is rewritten once, with its indexes.
 */
export async function up({ db, isSqlite }: MigrationTools): Promise<void> {
  if (isSqlite) return;
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const widen = columns.map((column) => sql`alter column ${sql.ref(column)} type bigint`);
    await sql`alter table ${sql.table(table)} ${sql.join(widen)}`.execute(db);
    if (columns.includes('id'))
      await sql`alter sequence ${sql.table(`${table}_id_seq`)} as bigint`.execute(db);
  }
}
