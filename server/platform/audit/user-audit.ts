import { type Db, eachRow } from '../storage/index.ts';
import { toActivity } from './read.ts';

/** What a user did, and what was done to their things, oldest first. */
export async function* listUserAudit(db: Db, userId: number) {
  const entries = db
    .selectFrom('audit_entries')
    .selectAll()
    .where((eb) => eb.or([eb('owner_id', '=', userId), eb('actor_id', '=', userId)]));
  for await (const row of eachRow(entries, { by: 'id', size: 200 })) {
    const { id: _, ...entry } = toActivity(row);
    yield {
      ...entry,
      // Where others were is not this user's data.
      ...(row.actor_id === userId && { address: row.address }),
    };
  }
}
