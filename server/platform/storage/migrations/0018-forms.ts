import type { MigrationTools } from './tools.ts';

/** Messages that visitors send with the forms of a page, and their files. */
export async function up({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('page_forms')
    .addColumn('page_id', id.big, (c) => c.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('name', bytewise, (c) => c.notNull())
    .addColumn('messages', 'integer', (c) => c.notNull())
    .addColumn('unread', 'integer', (c) => c.notNull())
    .addColumn('bytes', id.big, (c) => c.notNull())
    .addColumn('last_message_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('page_forms_key', ['page_id', 'name'])
    .execute();
  await table('form_messages')
    .addColumn('id', bytewise, (c) => c.primaryKey())
    .addColumn('page_id', id.big, (c) => c.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('form', bytewise, (c) => c.notNull())
    .addColumn('is_read', 'integer', (c) => c.notNull())
    .addColumn('bytes', id.big, (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('form_messages_by_form')
    .on('form_messages')
    .columns(['page_id', 'form', 'id'])
    .execute();
  // Apart from the rest, so that marking a message does not write its text again.
  await table('form_texts')
    .addColumn('message_id', bytewise, (c) =>
      c.primaryKey().references('form_messages.id').onDelete('cascade'),
    )
    .addColumn('fields', 'text', (c) => c.notNull())
    .execute();
  await table('form_files')
    .addColumn('id', bytewise, (c) => c.primaryKey())
    .addColumn('page_id', id.big, (c) => c.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('message_id', bytewise, (c) => c.notNull().references('form_messages.id').onDelete('cascade'))
    .addColumn('field', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('content_type', 'text', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .execute();
  for (const column of ['page_id', 'message_id'])
    await db.schema.createIndex(`form_files_by_${column}`).on('form_files').column(column).execute();
}
