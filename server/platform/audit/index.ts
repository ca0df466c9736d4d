/** The audit log: who did what, when, from where. */

export { listAudit, purgeAudit, type StoredAudit, toActivity, toRecord } from './read.ts';
export { type AuditEntry, recordAudit } from './record.ts';
/** Writes the entries to a file or a syslog server. */
export { AuditStream } from './stream.ts';
export type { AuditTarget } from './targets.ts';
/** What a user did, and what was done to their things. */
export { listUserAudit } from './user-audit.ts';
