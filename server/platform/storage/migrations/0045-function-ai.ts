import type { MigrationTools } from './tools.ts';

/** What functions spend on AI: the limit of a day, and what each has used on the last day that it used any. */
export async function up({ db, table, id }: MigrationTools): Promise<void> {
  await db.schema
    .alterTable('functions')
    .addColumn('ai_daily_credits', 'integer', (column) => column.notNull().defaultTo(50))
    .execute();
  await table('function_ai_use')
    .addColumn('function_id', id.big, (column) =>
      column.primaryKey().references('functions.id').onDelete('cascade'),
    )
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('tokens', id.big, (column) => column.notNull())
    .execute();
  // One column at a time, as SQLite wants it.
  await db.schema.alterTable('credit_reservations').addColumn('function_id', id.big).execute();
  await db.schema.alterTable('credit_reservations').addColumn('function_at', id.big).execute();
}
