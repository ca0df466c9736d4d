import { sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/** The default scopes of a token before the scope `account` existed. */
const ALL =
  'pages:read pages:write functions:read functions:write solo-data:read solo-data:write ' +
  'team-data:read team-data:write social-data:read social-data:write';

/** Personal tokens now end with the login that created them, and managing them requires the scope `account`. */
export async function up({ db, id }: MigrationTools): Promise<void> {
  await db.schema.alterTable('tokens').addColumn('asked_expires_at', id.big).execute();
  for (const scopes of [ALL, `${ALL} admin`]) {
    await sql`update tokens set scopes = ${`${scopes} account`}
      where kind in ('access', 'refresh', 'dashboard') and scopes = ${scopes}`.execute(db);
  }
}
