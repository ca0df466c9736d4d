import { BACKUP_NAME } from '../../../../contract/admin/backups.ts';

/** The name of a backup says when it was started and by whom, so that nothing else has to be kept about it. */
export function nameBackup(startedAt: number, userId: number): string {
  const time = new Date(startedAt).toISOString().replace(/\.\d+Z$/, 'Z');
  return `backup-${time.replaceAll(':', '-')}-${userId}.tar.gz`;
}

/** Reads the name of a backup. Undefined if it is not the name of a backup. */
export function readName(name: string): { startedAt: number; userId: number } | undefined {
  if (!BACKUP_NAME.test(name)) return undefined;
  const [, day, time = '', userId] = /^backup-(.{10})T(.{8})Z-(\d+)/.exec(name) ?? [];
  const startedAt = Date.parse(`${day}T${time.replaceAll('-', ':')}Z`);
  return Number.isNaN(startedAt) ? undefined : { startedAt, userId: Number(userId) };
}
