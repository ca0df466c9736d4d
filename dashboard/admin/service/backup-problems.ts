import { t } from '../../texts/index.ts';
import type { BackupList } from '../api.ts';

/** Something about the backups that an administrator should know. */
export interface BackupProblem {
  kind: 'bad' | 'warn';
  text: string;
}

export const newestBackup = ({ backups }: BackupList) => backups.find(({ state }) => state === 'complete');

/** What is wrong with the backups, most urgent first. */
export function findBackupProblems(list: BackupList): BackupProblem[] {
  const { backups, isEncrypted, isLate, lastProof, placeProblem, schedule } = list;
  const found: Array<BackupProblem | false> = [
    placeProblem !== null && {
      kind: 'bad',
      text: t('The place of the backups cannot be read, so nobody knows whether they are still there.'),
    },
    ((schedule !== null && schedule.failures > 0) || backups[0]?.state === 'failed') && {
      kind: 'bad',
      text: t('The last backup failed.'),
    },
    lastProof !== null &&
      lastProof.problem !== null && {
        kind: 'bad',
        text: t('The last backup that was tried could not be restored.'),
      },
    isLate && { kind: 'bad', text: t('The newest backup is much older than the schedule says.') },
    schedule !== null &&
      lastProof === null &&
      newestBackup(list) !== undefined && {
        kind: 'warn',
        text: isEncrypted
          ? t('No backup has been proven yet. Only you have the key: prove one with the command below.')
          : t('No backup has been proven yet.'),
      },
  ];
  return found.filter((each) => each !== false);
}
