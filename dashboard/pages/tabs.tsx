import { t } from '../texts/index.ts';
import type { Tab } from '../ui/bar/index.ts';
import { formatNumber } from '../ui/index.ts';
import type { PageDetail } from './api.ts';
import { Unread } from './forms/unread.tsx';
import { HISTORY } from './history/nav.tsx';
import { REPORTS } from './reports/notice.tsx';

/** The tabs of a page's screens. Only a page that was reported has reports. */
export function listTabs(
  { storageMode, role }: Pick<PageDetail, 'storageMode' | 'role'>,
  unread: number,
  isReported = false,
): Tab[] {
  return [
    ['', t('Editor')],
    [HISTORY, t('History')],
    ['data', t('Data')],
    [
      'forms',
      t('Forms'),
      <Unread key="unread" count={unread} />,
      unread > 0 ? formatNumber(unread) : undefined,
    ],
    ['analytics', t('Analytics')],
    ...(storageMode === 'team_app' ? [['team', t('Team')] as Tab] : []),
    ...(role === 'owner' ? [['agent-spec', t('Agent spec')] as Tab] : []),
    ...(isReported ? [[REPORTS, t('Reports')] as Tab] : []),
    ['settings', t('Settings')],
    ...(role === 'owner' ? [['attack', t('Attack')] as Tab] : []),
  ];
}
