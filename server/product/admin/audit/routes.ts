import { serviceEndpoints } from '../../../../contract/admin/service-endpoints.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { listAudit, type StoredAudit } from '../../../platform/audit/index.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';

/** Routes of the audit log, and of its entries about the caller. */
export function auditRoutes({ db }: { db: Db }): Route[] {
  return [
    handle(serviceEndpoints.listAuditEntries, async ({ query: { limit, ...filter } }) => {
      const rows = await listAudit(db, { ...filter, limit: limit + 1 });
      const toRecord = (row: StoredAudit) => ({
        ...toActivity(row),
        actorId: row.actor_id,
        address: row.address,
      });
      return toPage(rows, limit, toRecord);
    }),
    handle(serviceEndpoints.listActivity, async ({ query: { limit, before }, actor }) => {
      const ownerId = actor.userId;
      const rows = await listAudit(db, { before, ownerId, limit: limit + 1 });
      return toPage(rows, limit, toActivity);
    }),
  ];
}

/** Makes a page of the audit log. The rows include one more than the limit, to know whether there are more. */
function toPage<Entry>(rows: StoredAudit[], limit: number, toEntry: (row: StoredAudit) => Entry) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { entries: page.map(toEntry), next: rows.length > limit && last ? last.id : null };
}

const toActivity = (row: StoredAudit) => ({
  id: row.id,
  at: toTimestamp(row.at),
  actor: row.actor_name,
  action: row.action,
  target: { kind: row.target_kind, id: row.target_id, name: row.target_name },
  details: JSON.parse(row.details) as Record<string, unknown>,
});
