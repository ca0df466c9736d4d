import type { MigrationTools } from './tools.ts';

/** Invites get a name that is no secret, and tell who made them, so that they can be listed and taken back. */
export async function up({ db }: MigrationTools): Promise<void> {
  await db.schema.alterTable('team_invites').addColumn('id', 'text').execute();
  await db.schema
    .alterTable('team_invites')
    .addColumn('created_by', 'integer', (c) => c.references('users.id').onDelete('set null'))
    .execute();
  // Nothing leads from a part of the hash back to the code.
  await db
    .updateTable('team_invites')
    .set((eb) => ({ id: eb.fn('substr', ['code_hash', eb.lit(1), eb.lit(32)]) }))
    .execute();
  await db.schema
    .createIndex('team_invites_by_page_and_id')
    .on('team_invites')
    .columns(['page_id', 'id'])
    .unique()
    .execute();
}
