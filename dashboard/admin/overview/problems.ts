import { CONNECTABLE } from '../../../contract/rules/provider-kinds.ts';
import { t } from '../../texts/index.ts';
import type { BackupList, Health, ProviderStatus, StorageReport, User } from '../api.ts';
import { CONNECTABLE_NAMES, sayFailure } from '../providers/words.ts';
import { findBackupProblems, newestBackup } from '../service/backup-problems.ts';

/** What the overview is made of. */
export interface State {
  health: Health;
  storage: StorageReport;
  providers: ProviderStatus[];
  backups: BackupList;
  users: number;
  pages: number;
  functions: number;
  takenDown: number;
  suspended: number;
  /** Reports of pages that nobody has decided. */
  openReports: number;
  /** Whether the list of first steps is shown, which says the same as some problems. */
  isBeingSetUp: boolean;
  /** People who asked for a new password. */
  lockedOut: User[];
}

/** Something for the administrator to do. */
export interface Problem {
  kind: 'bad' | 'warn';
  text: string;
  /** What to do, and where. */
  action: string;
  href: string;
}

const WEEK_MS = 7 * 24 * 3600 * 1000;
/** Below this part of the disk, writes may soon be refused. */
const LITTLE_SPACE = 0.1;
/** People who are named. The list of users has all. */
const MAX_NAMED = 5;

const findState = ({ providers }: State, wanted: ProviderStatus['name']) =>
  providers.find(({ name }) => name === wanted)?.state;

/** What needs attention, most urgent first. */
export function findProblems(state: State, now: number): Problem[] {
  const { health, storage, backups, isBeingSetUp } = state;
  const { freeBytes, totalBytes } = storage.disk;
  const last = newestBackup(backups);
  const found: Array<Problem | false> = [
    freeBytes < totalBytes * LITTLE_SPACE && {
      kind: 'bad',
      text: t('The disk is almost full. When it is full, nothing can be saved.'),
      action: t('See what uses it'),
      href: '/admin/storage',
    },
    health.sandbox === 'plain' && {
      kind: 'bad',
      text: t('Functions are not isolated from each other.'),
      action: t('See the health'),
      href: '/admin/health',
    },
    ...findBackupProblems(backups).map((problem) => ({
      ...problem,
      action: t('See the backups'),
      href: '/admin/backups',
    })),
    health.replica?.isLate === true && {
      kind: 'bad',
      text: t('The replica is behind: the newest changes are only on this machine.'),
      action: t('See the health'),
      href: '/admin/health',
    },
    state.openReports > 0 && {
      kind: 'bad',
      text: t(
        '{count|Visitors have reported a page once|Visitors have reported pages {count} times}. Somebody has to decide.',
        {
          count: state.openReports,
        },
      ),
      action: t('See the reports'),
      href: '/admin/reports',
    },
    ...findFailingProviders(state),
    ...state.lockedOut.slice(0, MAX_NAMED).map(
      ({ id, username }): Problem => ({
        kind: 'warn',
        text: t('{username} asked for a new password. Make sure that it was this person.', { username }),
        action: t('Make a link'),
        href: `/admin/users/${id}`,
      }),
    ),
    last !== undefined &&
      backups.schedule === null &&
      now - Date.parse(last.createdAt) > WEEK_MS && {
        kind: 'warn',
        text: t('The last backup is older than a week.'),
        action: t('Make a backup'),
        href: '/admin/backups',
      },
    ...(isBeingSetUp ? [] : findMissing(state)),
  ];
  return found.filter((each) => each !== false);
}

/** What a server should have, and this one has not. */
function findMissing(state: State): Problem[] {
  const found: Array<Problem | false> = [
    !newestBackup(state.backups) &&
      state.backups.schedule === null && {
        kind: 'warn',
        text: t('There is no backup yet.'),
        action: t('Make a backup'),
        href: '/admin/backups',
      },
    findState(state, 'mail') === 'off' && {
      kind: 'warn',
      text: t('Mail is not set up, so people cannot reset their passwords themselves.'),
      action: t('Set up mail'),
      href: '/docs/mail',
    },
    findState(state, 'chat') === 'demo' && {
      kind: 'warn',
      text: t('No model is connected, so nobody can build pages by describing them.'),
      action: t('Connect a model'),
      href: '/admin/providers/chat',
    },
  ];
  return found.filter((each) => each !== false);
}

/** Providers whose next calls will fail too, such as those with a revoked key. */
function findFailingProviders({ providers }: State): Problem[] {
  return providers.flatMap(({ name, problem, connection }) => {
    const connectable = CONNECTABLE.find((each) => each === name);
    if (!connectable || !problem) return [];
    const isChangeable = connection?.source !== 'environment';
    return [
      {
        kind: 'bad' as const,
        text: `${CONNECTABLE_NAMES[connectable]}: ${sayFailure(problem)}`,
        action: t('See the provider'),
        href: isChangeable ? `/admin/providers/${connectable}` : '/admin/providers',
      },
    ];
  });
}
