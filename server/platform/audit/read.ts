import type { Selectable } from 'kysely';
import { type ActivityEntry, AUDIT_DAYS, type AuditRecord } from '../../../contract/admin/audit.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { Db, Tables } from '../storage/index.ts';

const DAY_MS = 24 * 3600 * 1000;

export type StoredAudit = Selectable<Tables['audit_entries']>;

interface AuditFilter {
  limit: number;
  /** Only entries before the entry with this id. */
  before?: number | undefined;
  /** Only entries of the actor with this name. */
  actor?: string | undefined;
  /** Only entries with this action, or with actions that begin with it if it ends with a dot. */
  action?: string | undefined;
  /** Only entries about the target with this name. */
  target?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
  /** Only what others did to the things of this user. */
  ownerId?: number | undefined;
}

/** Entries, the newest first. */
export function listAudit(db: Db, filter: AuditFilter): Promise<StoredAudit[]> {
  const { before, actor, action, target, from, to, ownerId } = filter;
  let query = db.selectFrom('audit_entries').selectAll();
  if (before !== undefined) query = query.where('id', '<', before);
  if (actor !== undefined) query = query.where('actor_name', '=', actor);
  if (action?.endsWith('.')) {
    // The character after the dot. The column compares byte by byte.
    query = query.where('action', '>=', action).where('action', '<', `${action.slice(0, -1)}/`);
  } else if (action !== undefined) {
    query = query.where('action', '=', action);
  }
  if (target !== undefined) query = query.where('target_name', '=', target);
  if (from !== undefined) query = query.where('at', '>=', from);
  if (to !== undefined) query = query.where('at', '<=', to);
  if (ownerId !== undefined) {
    query = query
      .where('owner_id', '=', ownerId)
      .where((eb) => eb.or([eb('actor_id', 'is', null), eb('actor_id', '!=', ownerId)]));
  }
  return query.orderBy('id', 'desc').limit(filter.limit).execute();
}

/** An entry as whom it is about sees it. */
export const toActivity = (row: StoredAudit): ActivityEntry => ({
  id: row.id,
  at: toTimestamp(row.at),
  actor: row.actor_name,
  action: row.action,
  target: { kind: row.target_kind, id: row.target_id, name: row.target_name },
  details: JSON.parse(row.details) as Record<string, unknown>,
});

/** An entry as administrators see it. */
export const toRecord = (row: StoredAudit): AuditRecord => ({
  ...toActivity(row),
  actorId: row.actor_id,
  address: row.address,
});

/** Deletes entries that are too old. */
export async function purgeAudit({ db, now }: { db: Db; now: () => number }): Promise<void> {
  const oldest = now() - AUDIT_DAYS * DAY_MS;
  await db.deleteFrom('audit_entries').where('at', '<', oldest).execute();
}
