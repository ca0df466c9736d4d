import { z } from 'zod';
import { timestamp } from '../fields.ts';

/** The wire shapes of backups that the server keeps, for administrators. */

/** The most backups that a server can be set to keep. */
export const MAX_BACKUPS = 60;

/**
 * `backup-2026-11-16T16-10-00Z-12.tar.gz`: when it was started, and the id of the user who did, or 0 for the schedule.
 * An encrypted one ends with `.age`.
 */
export const BACKUP_NAME = /^backup-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-\d{1,15}\.tar\.gz(?:\.age)?$/;

export const backupParams = z.object({
  name: z.string().regex(BACKUP_NAME, 'must be the name of a backup').meta({ maxLength: 60 }),
});

const BACKUP_STATES = ['complete', 'running', 'failed'] as const;

const BackupProof = z.object({
  name: z.string().meta({ description: 'The backup that was restored to prove it.' }),
  provenAt: timestamp,
  seconds: z.int().meta({ description: 'How long it took.' }),
  problem: z.string().nullable().meta({ description: 'What is wrong with the backup; null if nothing is.' }),
});
export type BackupProof = z.infer<typeof BackupProof>;

export const Backup = z.object({
  name: z.string(),
  state: z.enum(BACKUP_STATES),
  bytes: z.int().meta({ description: 'While the backup runs: what has been written so far.' }),
  createdAt: timestamp,
  madeBy: z.string().nullable().meta({
    description: 'A username; null if the account no longer exists, or if the schedule made it.',
  }),
  isScheduled: z.boolean(),
  isEncrypted: z.boolean(),
  problem: z.string().nullable().meta({ description: 'Why the backup failed.' }),
  proof: BackupProof.nullable().meta({ description: 'The last proof that it can be restored.' }),
});
export type Backup = z.infer<typeof Backup>;

const BackupSchedule = z.object({
  cron: z.string().meta({ description: 'When the server backs itself up, in UTC.' }),
  nextAt: timestamp,
  failures: z.int().meta({ description: 'How many backups in a row have failed.' }),
  failedAt: timestamp.nullable(),
  problem: z.string().nullable().meta({ description: 'Why the last one failed.' }),
});

export const BackupList = z.object({
  backups: z.array(Backup).meta({ description: 'The backups, the newest first.' }),
  maxBackups: z.int().meta({ description: 'The server keeps so many. The oldest are deleted first.' }),
  maxDays: z.int().nullable().meta({ description: 'Older ones are deleted, too; null for no limit.' }),
  place: z.string().meta({ description: 'The folder or bucket of the backups.' }),
  isBucket: z.boolean(),
  placeProblem: z.string().nullable().meta({ description: 'Why the place cannot be read.' }),
  isEncrypted: z.boolean().meta({ description: 'Whether new backups are encrypted.' }),
  schedule: BackupSchedule.nullable(),
  isLate: z.boolean().meta({ description: 'Whether two backups of the schedule are missing.' }),
  lastProof: BackupProof.nullable().meta({ description: 'The last proof of any backup.' }),
});
export type BackupList = z.infer<typeof BackupList>;

export const StartedBackup = z.object({ success: z.literal(true), backup: Backup });
export type StartedBackup = z.infer<typeof StartedBackup>;
