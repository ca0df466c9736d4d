import { BACKUP_NAME } from '../../../../contract/admin/backups.ts';

/** In the name of a backup that the schedule made, where others have the id of a user. */
export const SCHEDULE_ID = 0;

/** What the name of a backup says about it, so that nothing else has to be kept. */
export interface BackupFacts {
  startedAt: number;
  userId: number;
  isEncrypted: boolean;
}

export function nameBackup({ startedAt, userId, isEncrypted }: BackupFacts): string {
  const time = new Date(startedAt).toISOString().replace(/\.\d+Z$/, 'Z');
  return `backup-${time.replaceAll(':', '-')}-${userId}.tar.gz${isEncrypted ? '.age' : ''}`;
}

/** Reads the name of a backup. Undefined if it is not the name of a backup. */
export function readName(name: string): BackupFacts | undefined {
  if (!BACKUP_NAME.test(name)) return undefined;
  const [, day, time = '', userId] = /^backup-(.{10})T(.{8})Z-(\d+)/.exec(name) ?? [];
  const startedAt = Date.parse(`${day}T${time.replaceAll('-', ':')}Z`);
  if (Number.isNaN(startedAt)) return undefined;
  return { startedAt, userId: Number(userId), isEncrypted: name.endsWith('.age') };
}

/** Far enough ahead of the clock that a backup cannot have been made then. */
const AHEAD_MS = 24 * 3600 * 1000;

/**
 * Sorts backups, the newest first. Those from the future were made while the clock was wrong. Nobody knows how old they
 * are, so they come last, where they hide no others.
 */
export function newestFirst<Item extends { name: string }>(items: Item[], now: number): Item[] {
  const startedAt = ({ name }: Item) => readName(name)?.startedAt ?? 0;
  const isAhead = (item: Item) => (startedAt(item) > now + AHEAD_MS ? 1 : 0);
  return [...items].sort((a, b) => isAhead(a) - isAhead(b) || startedAt(b) - startedAt(a));
}
