import type { MigrationTools } from './tools.ts';

/** Gives invites an id that is not secret, and records who created them, so that they can be listed and revoked. */
export async function up({ db }: MigrationTools): Promise<void> {
  await db.schema.alterTable('team_invites').addColumn('id', 'text').execute();
  await db.schema
    .alterTable('team_invites')
    .addColumn('created_by', 'integer', (c) => c.references('users.id').onDelete('set null'))
    .execute();
  // The code cannot be derived from a part of its hash.
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
