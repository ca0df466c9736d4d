import { sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/** A token can spend credits up to a limit. What it has reserved and spent counts towards it. */
export async function up({ db, id }: MigrationTools): Promise<void> {
  await db.schema
    .alterTable('tokens')
    .addColumn('credit_limit_tokens', id.big, (c) => c.check(sql`credit_limit_tokens > 0`))
    .execute();
  await db.schema
    .alterTable('tokens')
    .addColumn('credit_used_tokens', id.big, (c) =>
      c.notNull().defaultTo(0).check(sql`credit_used_tokens >= 0`),
    )
    .execute();
  await db.schema.alterTable('credit_reservations').addColumn('token_id', 'integer').execute();
}
