import { toTimestamp } from '../../lib/timestamp.ts';
import type { Db } from '../storage/index.ts';

const BATCH = 200;

/** What a user did, and what was done to their things, oldest first. */
export async function* auditOf(db: Db, userId: number) {
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('audit_entries')
      .selectAll()
      .where((eb) => eb.or([eb('owner_id', '=', userId), eb('actor_id', '=', userId)]))
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const row of rows)
      yield {
        at: toTimestamp(row.at),
        actor: row.actor_name,
        action: row.action,
        target: { kind: row.target_kind, id: row.target_id, name: row.target_name },
        details: JSON.parse(row.details) as Record<string, unknown>,
        // Where others were is not this user's data.
        ...(row.actor_id === userId && { address: row.address }),
      };
    if (rows.length < BATCH) return;
    after = rows.at(-1)?.id ?? 0;
  }
}
