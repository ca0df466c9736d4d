import { z } from 'zod';
import type { Db } from '../../../platform/storage/index.ts';

/** What a page got from its template to show what it is for. */
export interface Samples {
  records: Array<{ collection: string; id: string }>;
  /** The function whose database has samples too, and the SQL statements that remove them. */
  functionSlug: string | null;
  statements: string[];
}

const Records = z.array(z.object({ collection: z.string(), id: z.string() }));
const Statements = z.array(z.string());

export async function insertSamples(db: Db, pageId: number, samples: Samples): Promise<void> {
  const { records, functionSlug, statements } = samples;
  await db
    .insertInto('page_samples')
    .values({
      page_id: pageId,
      records: JSON.stringify(records),
      function_slug: functionSlug,
      statements: JSON.stringify(statements),
    })
    .execute();
}

export async function findSamples(db: Db, pageId: number): Promise<Samples | undefined> {
  const row = await db
    .selectFrom('page_samples')
    .selectAll()
    .where('page_id', '=', pageId)
    .executeTakeFirst();
  return (
    row && {
      records: Records.parse(JSON.parse(row.records)),
      functionSlug: row.function_slug,
      statements: Statements.parse(JSON.parse(row.statements)),
    }
  );
}

/** Replaces what is known of the samples of a page. */
export async function replaceSamples(db: Db, pageId: number, left: Samples | undefined): Promise<void> {
  if (!left) {
    await db.deleteFrom('page_samples').where('page_id', '=', pageId).execute();
    return;
  }
  const { records, functionSlug: function_slug } = left;
  const known = { records: JSON.stringify(records), function_slug };
  await db.updateTable('page_samples').set(known).where('page_id', '=', pageId).execute();
}

/** Records the request that has made a page. Returns false if it has made another one. */
export async function insertRequest(db: Db, pageId: number, digest: string): Promise<boolean> {
  const inserted = await db
    .insertInto('template_requests')
    .values({ page_id: pageId, digest })
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .returning('page_id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** The page that a request has made. */
export async function findRequested(db: Db, digest: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('template_requests')
    .select('page_id')
    .where('digest', '=', digest)
    .executeTakeFirst();
  return row?.page_id;
}
