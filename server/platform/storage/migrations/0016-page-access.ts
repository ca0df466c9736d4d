import { sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/**
 * Who can see a page. The mode, the expiry and the stamp are in `pages`, because they are needed for every request. The
 * stamp changes with the mode, the password and the people, and ends the passes that visitors have.
 */
export async function up({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await db.schema
    .alterTable('pages')
    .addColumn('access_mode', 'text', (c) =>
      c
        .notNull()
        .defaultTo('public')
        .check(sql`access_mode in ('public', 'password', 'people', 'team', 'private')`),
    )
    .execute();
  await db.schema
    .alterTable('pages')
    .addColumn('access_stamp', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema.alterTable('pages').addColumn('access_expires_at', id.big).execute();
  await table('page_access')
    .addColumn('page_id', id.big, (c) => c.primaryKey().references('pages.id').onDelete('cascade'))
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .execute();
  await table('page_people')
    .addColumn('page_id', id.big, (c) => c.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('name', bytewise, (c) => c.notNull())
    .addPrimaryKeyConstraint('page_people_key', ['page_id', 'name'])
    .execute();
  // Only an address that somebody has confirmed lets its account in.
  await db.schema.alterTable('users').addColumn('email_confirmed_at', id.big).execute();
}
