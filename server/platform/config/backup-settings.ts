import { z } from 'zod';
import { MAX_BACKUPS } from '../../../contract/admin/backups.ts';
import { about, word } from './setting-kinds.ts';

/** The settings of the backups that the server makes. */

/** How many backups are kept, and for how many days. */
interface KeepBackups {
  count: number;
  days: number | undefined;
}

const DEFAULT_KEEP = '10';
const MAX_DAYS = 3650;
const KEEP = /^([1-9]\d{0,2})(?:\s*,\s*([1-9]\d{0,3})d)?$/;

const keep = z
  .string()
  .default(DEFAULT_KEEP)
  .refine((text) => {
    const { count, days = 1 } = parseKeep(text);
    return count >= 1 && count <= MAX_BACKUPS && days <= MAX_DAYS;
  }, `must be a number of backups from 1 to ${MAX_BACKUPS}, with days if you like, up to ${MAX_DAYS}: 7 or 7,30d`)
  .transform(parseKeep);

function parseKeep(text: string): KeepBackups {
  const [, count = '0', days] = KEEP.exec(text.trim()) ?? [];
  return { count: Number(count), days: days === undefined ? undefined : Number(days) };
}

const recipients = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine(
    (all) => all.every((each) => /^age1[02-9ac-hj-np-z]{58}$/.test(each)),
    'must be public keys of age, which begin with age1, separated by commas. age-keygen makes one',
  );

export const BACKUP_SETTINGS = {
  QUIRE_BACKUP_SCHEDULE: about(
    z
      .string()
      .max(100, 'must have at most 100 characters')
      .regex(
        /^([\w*/,#-]+( [\w*/,#-]+){4}|elsewhere)$/,
        'must have five fields with one space between them, such as 30 3 * * * for every night, or be elsewhere',
      )
      .optional(),
    'When the server [backs itself up](running.md#schedule-backups), as cron says it, in UTC: `30 3 * * *` is every night at 03:30. `elsewhere` says that something else makes backups, such as the tools of PostgreSQL, so that no alert misses them',
    'never by itself',
  ),
  QUIRE_BACKUP_KEEP: about(
    keep,
    'How many backups the server keeps, and for how many days: `7`, or `7,30d` for seven that are at most 30 days old. The last good one stays in any case',
    `\`${DEFAULT_KEEP}\``,
  ),
  QUIRE_BACKUP_KEY: about(
    recipients,
    'Public keys of [age](running.md#encrypt-backups), separated by commas. Each of them opens a backup, and the server cannot',
    'none: backups are not encrypted',
  ),
  QUIRE_BACKUP_FOLDER: about(
    word.optional(),
    'Folder for backups, for example on another disk. Not in a cluster',
    '`backups` in the data folder, or the bucket if there is one',
  ),
};
