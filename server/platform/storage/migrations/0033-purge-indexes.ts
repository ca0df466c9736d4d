import { sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/** Lets hourly purges find what they remove without reading everything that stays. */
export async function up({ db }: MigrationTools): Promise<void> {
  await db.schema.createIndex('function_stats_by_hour').on('function_stats').column('hour').execute();
  // Only days that are not over have one.
  await db.schema
    .createIndex('page_days_with_sketch')
    .on('page_days')
    .column('day')
    .where(sql.ref('sketch'), 'is not', null)
    .execute();
}
