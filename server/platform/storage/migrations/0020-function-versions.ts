import { sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/**
 * The versions of functions, with the current one. Their sizes are what owners are charged for code, so this changes no
 * usage. The platform's own functions have no versions: their code comes with the program.
 */
export async function up({ db, table, id }: MigrationTools): Promise<void> {
  await table('function_versions')
    .addColumn('function_id', id.big, (c) => c.notNull().references('functions.id').onDelete('cascade'))
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('size', id.big, (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    // The long texts come last: SQLite reads through them to find what comes after.
    .addColumn('code', 'text', (c) => c.notNull())
    .addColumn('files', 'text')
    .addColumn('bundle', 'text')
    .addColumn('source_map', 'text')
    .addPrimaryKeyConstraint('function_versions_key', ['function_id', 'version'])
    .execute();
  await sql`insert into function_versions (function_id, version, code, size, created_at)
    select id, version, code, octet_length(code), updated_at from functions where owner_id is not null`.execute(
    db,
  );
}
