/** The audit log: who did what, when, from where. */

export { listAudit, purgeAudit, type StoredAudit } from './read.ts';
export { type AuditEntry, recordAudit } from './record.ts';
/** What a user did, and what was done to their things. */
export { listUserAudit } from './user-audit.ts';
