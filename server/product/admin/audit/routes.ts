import { ActivityList, ActivityQuery, AuditList, AuditQuery } from '../../../../contract/admin/audit.ts';
import { ACCOUNT_SCOPE, ADMIN_SCOPE } from '../../../../contract/scopes.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { listAudit, type StoredAudit } from '../../../platform/audit/index.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';

/** The audit log, and what of it concerns oneself. */
export function auditRoutes({ db }: { db: Db }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/admin/audit',
      operationId: 'listAuditEntries',
      access: { kind: 'management', scope: ADMIN_SCOPE },
      summary: 'Who did what, when and from where, the newest first; kept for 400 days',
      query: AuditQuery,
      response: AuditList,
      async handle({ query: { limit, ...filter } }) {
        const rows = await listAudit(db, { ...filter, limit: limit + 1 });
        const toRecord = (row: StoredAudit) => ({
          ...toActivity(row),
          actorId: row.actor_id,
          address: row.address,
        });
        return toPage(rows, limit, toRecord);
      },
    }),
    route({
      method: 'GET',
      path: '/api/auth/activity',
      operationId: 'listActivity',
      access: { kind: 'management', scope: ACCOUNT_SCOPE },
      summary: 'What administrators did to your account, pages and functions, the newest first',
      query: ActivityQuery,
      response: ActivityList,
      async handle({ query: { limit, before }, actor }) {
        const ownerId = signedIn(actor).userId;
        const rows = await listAudit(db, { before, ownerId, limit: limit + 1 });
        return toPage(rows, limit, toActivity);
      },
    }),
  ];
}

/** One row more than asked for was read, to know whether there are more. */
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
