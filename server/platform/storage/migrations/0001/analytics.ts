import { sql } from 'kysely';
import type { MigrationTools } from '../tools.ts';
import { ofPage } from './columns.ts';

/** How pages are used, and what fails in them. */
export async function createAnalytics({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  const about = (name: string) => table(name).addColumn('page_id', id.big, ofPage);
  await about('page_hours')
    .addColumn('hour', id.big, (c) => c.notNull())
    .addColumn('views', 'integer', (c) => c.notNull())
    .addColumn('visitors', 'integer', (c) => c.notNull())
    .addColumn('sketch', 'text')
    .addColumn('errors', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('page_hours_key', ['page_id', 'hour'])
    .execute();
  await about('page_days')
    .addColumn('day', id.big, (c) => c.notNull())
    .addColumn('views', 'integer', (c) => c.notNull())
    .addColumn('visitors', 'integer', (c) => c.notNull())
    .addColumn('sketch', 'text')
    .addColumn('errors', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('page_days_key', ['page_id', 'day'])
    .execute();
  await about('page_referrers')
    .addColumn('day', id.big, (c) => c.notNull())
    .addColumn('referrer', bytewise, (c) => c.notNull())
    .addColumn('views', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('page_referrers_key', ['page_id', 'day', 'referrer'])
    .execute();
  await about('page_feature_days')
    .addColumn('day', id.big, (c) => c.notNull())
    .addColumn('feature', bytewise, (c) => c.notNull())
    .addColumn('uses', 'integer', (c) => c.notNull())
    .addColumn('tokens', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('page_feature_days_key', ['page_id', 'day', 'feature'])
    .execute();
  await about('page_errors')
    .addColumn('fingerprint', bytewise, (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('line_number', 'integer')
    .addColumn('column_number', 'integer')
    .addColumn('stack', 'text')
    .addColumn('browser', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('count', 'integer', (c) => c.notNull())
    .addColumn('first_at', id.big, (c) => c.notNull())
    .addColumn('last_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('page_errors_key', ['page_id', 'fingerprint'])
    .execute();
  await db.schema.createIndex('page_hours_by_hour').on('page_hours').column('hour').execute();
  for (const name of ['page_days', 'page_referrers', 'page_feature_days'])
    await db.schema.createIndex(`${name}_by_day`).on(name).column('day').execute();
  // Only days that are not over have a sketch.
  await db.schema
    .createIndex('page_days_with_sketch')
    .on('page_days')
    .column('day')
    .where(sql.ref('sketch'), 'is not', null)
    .execute();
  await db.schema.createIndex('page_errors_by_time').on('page_errors').column('last_at').execute();
}
