import { serviceEndpoints } from '../../../../contract/admin/service-endpoints.ts';
import { listAudit, type StoredAudit, toActivity, toRecord } from '../../../platform/audit/index.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';

/** Routes of the audit log, and of its entries about the caller. */
export function auditRoutes({ db }: { db: Db }): Route[] {
  return [
    handle(serviceEndpoints.listAuditEntries, async ({ query: { limit, ...filter } }) => {
      const rows = await listAudit(db, { ...filter, limit: limit + 1 });
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
