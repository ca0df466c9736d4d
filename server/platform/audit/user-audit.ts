import { toTimestamp } from '../../lib/timestamp.ts';
import { type Db, eachRow } from '../storage/index.ts';

/** What a user did, and what was done to their things, oldest first. */
export async function* listUserAudit(db: Db, userId: number) {
  const entries = db
    .selectFrom('audit_entries')
    .selectAll()
    .where((eb) => eb.or([eb('owner_id', '=', userId), eb('actor_id', '=', userId)]));
  for await (const row of eachRow(entries, { by: 'id', size: 200 }))
    yield {
      at: toTimestamp(row.at),
      actor: row.actor_name,
      action: row.action,
      target: { kind: row.target_kind, id: row.target_id, name: row.target_name },
      details: JSON.parse(row.details) as Record<string, unknown>,
      // Where others were is not this user's data.
      ...(row.actor_id === userId && { address: row.address }),
    };
}
