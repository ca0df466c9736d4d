import { z } from 'zod';
import { timestamp } from '../fields.ts';

/** The wire shapes of backups that the server keeps, for administrators. */

/** The most backups that the server keeps. The oldest are deleted first. */
export const MAX_BACKUPS = 10;

/** `backup-2026-11-16T16-10-00Z-12.tar.gz`: when it was started, and the id of the user who did. */
export const BACKUP_NAME = /^backup-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-\d{1,15}\.tar\.gz$/;

export const backupParams = z.object({
  name: z.string().regex(BACKUP_NAME, 'must be the name of a backup').meta({ maxLength: 60 }),
});

const BACKUP_STATES = ['complete', 'running', 'failed'] as const;

export const Backup = z.object({
  name: z.string(),
  state: z.enum(BACKUP_STATES),
  bytes: z.int().meta({ description: 'While the backup runs: what has been written so far.' }),
  createdAt: timestamp,
  madeBy: z.string().nullable().meta({ description: 'A username; null if the account no longer exists.' }),
  problem: z.string().nullable().meta({ description: 'Why the backup failed.' }),
});
export type Backup = z.infer<typeof Backup>;

export const BackupList = z.object({
  backups: z.array(Backup).meta({ description: 'The backups, the newest first.' }),
  maxBackups: z.int().meta({ description: 'The server keeps so many. The oldest are deleted first.' }),
  place: z.string().meta({ description: 'The folder or bucket of the backups.' }),
  isBucket: z.boolean(),
});
export type BackupList = z.infer<typeof BackupList>;

export const StartedBackup = z.object({ success: z.literal(true), backup: Backup });
export type StartedBackup = z.infer<typeof StartedBackup>;
