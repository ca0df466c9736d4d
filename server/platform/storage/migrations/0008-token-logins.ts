import { sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/** The scopes of a token that asked for none, before there was the scope account. */
const ALL =
  'pages:read pages:write functions:read functions:write solo-data:read solo-data:write ' +
  'team-data:read team-data:write social-data:read social-data:write';

/** Personal tokens end with the login that made them, and managing them needs the scope account. */
export async function up({ db, id }: MigrationTools): Promise<void> {
  await db.schema.alterTable('tokens').addColumn('asked_expires_at', id.big).execute();
  for (const scopes of [ALL, `${ALL} admin`]) {
    await sql`update tokens set scopes = ${`${scopes} account`}
      where kind in ('access', 'refresh', 'dashboard') and scopes = ${scopes}`.execute(db);
  }
}
