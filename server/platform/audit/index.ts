/** The audit log: who did what, when, from where. */

/** What a user did, and what was done to their things. */
export { auditOf } from './of-user.ts';
export { listAudit, purgeAudit, type StoredAudit } from './read.ts';
export { type AuditEntry, recordAudit } from './record.ts';
