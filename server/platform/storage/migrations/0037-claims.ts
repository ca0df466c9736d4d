import { sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/** The hash of the secret that claims a page which somebody published without an account. Few pages have one. */
export async function up({ db }: MigrationTools): Promise<void> {
  await db.schema.alterTable('pages').addColumn('claim_hash', 'text').execute();
  await db.schema
    .createIndex('pages_by_claim')
    .on('pages')
    .column('access_expires_at')
    .where(sql.ref('claim_hash'), 'is not', null)
    .execute();
}
