import { sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/** Which pages may publish in a person's name: a decision of its own, beside how much they may spend. */
export async function up({ db, table, id }: MigrationTools): Promise<void> {
  await table('publish_consents')
    .addColumn('user_id', id.big, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('page_id', id.big, (c) => c.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('publish_consents_key', ['user_id', 'page_id'])
    .execute();
  await db.schema.createIndex('publish_consents_by_page').on('publish_consents').column('page_id').execute();
  // Until now, a consent covered both.
  await sql`INSERT INTO publish_consents SELECT user_id, page_id, created_at FROM credit_consents`.execute(
    db,
  );
}
