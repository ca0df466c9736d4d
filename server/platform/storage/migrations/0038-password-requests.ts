import type { MigrationTools } from './tools.ts';

/** When somebody asked for a new password on a server without mail. Administrators see it until they have helped. */
export async function up({ db, id }: MigrationTools): Promise<void> {
  await db.schema.alterTable('users').addColumn('password_asked_at', id.big).execute();
}
