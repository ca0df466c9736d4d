import { type ColumnDefinitionBuilder, sql } from 'kysely';
import { ofPage, pageKey } from './0001/columns.ts';
import { CONDITIONS, SHOWN } from './0001/functions.ts';
import type { MigrationTools } from './tools.ts';

/** Branches: pages that are copies of others, with copies of their functions, to try changes on. */
export async function up({ db, table, id, isSqlite }: MigrationTools): Promise<void> {
  await table('branches')
    .addColumn('page_id', id.big, pageKey)
    .addColumn('of_page_id', id.big, ofPage)
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('base_at', id.big, (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addColumn('step', 'text', (c) => c.notNull())
    .addColumn('plan', 'text', (c) => c.notNull())
    .addColumn('created_by', id.big, (c: ColumnDefinitionBuilder) =>
      c.references('users.id').onDelete('set null'),
    )
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('used_at', id.big, (c) => c.notNull())
    .addColumn('used_views', id.big, (c) => c.notNull().defaultTo(0))
    .addColumn('warned_at', id.big)
    .addColumn('expires_at', id.big)
    .addColumn('claimed_until', id.big, (c) => c.notNull())
    .addUniqueConstraint('branches_by_name', ['of_page_id', 'name'])
    .execute();
  await db.schema.createIndex('branches_by_person').on('branches').column('created_by').execute();
  await table('branch_mails')
    .addColumn('id', id.wide, id.define)
    .addColumn('page_id', id.big, ofPage)
    .addColumn('at', id.big, (c) => c.notNull())
    .addColumn('recipients', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('html', 'text')
    .execute();
  await db.schema.createIndex('branch_mails_by_page').on('branch_mails').columns(['page_id', 'id']).execute();
  await db.schema.alterTable('pages').addColumn('branch_of', id.big).execute();
  await db.schema.alterTable('functions').addColumn('branch_slug', 'text').execute();
  // Takes the place of `functions_listed`, with one more column that decides whether a function is in the list.
  await db.schema
    .createIndex('functions_public')
    .on('functions')
    .columns(isSqlite ? ['slug', ...SHOWN, ...CONDITIONS, 'branch_slug'] : ['slug'])
    .where('is_public', '=', sql.lit(1))
    .where('taken_down_at', 'is', null)
    .where('owner_blocked_at', 'is', null)
    .execute();
  await db.schema.dropIndex('functions_listed').execute();
}
