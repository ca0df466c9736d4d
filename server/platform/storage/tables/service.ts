import type { Generated } from 'kysely';

/** The tables of the service itself. */

/** Mail to send, and for a while its outcome. */
export interface MailsTable {
  id: Generated<number>;
  recipient: string;
  /** The recipient without what it adds after a plus sign. */
  mailbox: string;
  /** The user that the mail is about, if any. It is deleted with them. */
  user_id: number | null;
  kind: string;
  /** Waiting mails with the same value are combined; null if a mail is sent as it is. */
  bundle: string | null;
  /** The message as JSON. It can hold a secret link, so it is deleted once the mail is sent or given up. */
  content: string | null;
  created_at: number;
  /** After this time, sending the mail is of no use. */
  expires_at: number;
  /** When to try next; null if it is sent or given up. A node that tries moves it, so that no other node does. */
  due_at: number | null;
  attempts: number;
  sent_at: number | null;
  last_error: string | null;
}

/** What administrators set while the service runs, as JSON. */
export interface ServiceSettingsTable {
  name: string;
  value: string;
  updated_at: number;
}

/** The backup that runs now, or the last one that failed. Not in backups. */
export interface BackupRunsTable {
  /** Always 1: there is one row at most, whatever the number of nodes. */
  slot: number;
  name: string;
  started_at: number;
  /** When its node last reported that it is still running. */
  seen_at: number;
  /** The bytes that are written so far. */
  bytes: number;
  /** Why the backup failed; null while it runs. */
  problem: string | null;
}

/** When the server backs itself up next, and how it went. Not in backups. */
export interface BackupPlansTable {
  /** Always 1: there is one schedule. */
  slot: number;
  cron: string;
  /** When the next backup starts. A node that starts one moves it, so that no other node does. */
  due_at: number;
  /** When `due_at` was chosen. If that is in the future, the clock was set back. */
  planned_at: number;
  /** How many backups in a row have failed. */
  failures: number;
  failed_at: number | null;
  problem: string | null;
}

/** Backups that were restored to prove them. Not in backups. */
export interface BackupProofsTable {
  name: string;
  at: number;
  duration_ms: number;
  /** What is wrong with the backup; null if it is proven. */
  problem: string | null;
}

/** How far the audit log was written elsewhere, and which node does it. One row. */
export interface AuditStreamTable {
  id: number;
  sent_id: number;
  node: string;
  claimed_until: number;
}

/** Who did what. Entries outlive the people and things they are about. */
export interface AuditEntriesTable {
  id: Generated<number>;
  at: number;
  /** Null for the operator in a shell, and for the service itself. */
  actor_id: number | null;
  actor_name: string;
  action: string;
  target_kind: string;
  target_id: number | null;
  target_name: string;
  /** Whose thing it was done to, if not the actor's own. They can see the entry. */
  owner_id: number | null;
  address: string;
  /** The details, as a JSON object. */
  details: string;
}
