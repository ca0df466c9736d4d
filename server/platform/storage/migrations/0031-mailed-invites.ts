import type { MigrationTools } from './tools.ts';

/** Where an invite to a team was sent, so that its sender recognises it in the list. */
export async function up({ db }: MigrationTools): Promise<void> {
  await db.schema.alterTable('team_invites').addColumn('email', 'text').execute();
}
