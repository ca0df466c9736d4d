import { t } from '../../texts/index.ts';
import { Tabs } from '../../ui/index.ts';
import { toPageScreen } from '../api.ts';

export const HISTORY = 'history';
export const VERSIONS = 'versions';

/** The two views of what a page was: all of it over time, and each version of its text and files. */
export function HistoryNav({ pageId, current }: { pageId: number; current: string }) {
  return (
    <Tabs
      base={toPageScreen(pageId)}
      label={t('History')}
      tabs={[
        [HISTORY, t('Time line')],
        [VERSIONS, t('Versions')],
      ]}
      current={current}
    />
  );
}
