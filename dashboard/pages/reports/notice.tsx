import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { type Loaded, useLoad } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { toPageScreen } from '../api.ts';
import { listOwnReports, type OwnReport } from './api.ts';

/** The path of the reports below a page. */
export const REPORTS = 'reports';

/** The reports of a page, if the person is its owner. Only owners see them. */
export function useOwnReports(page: PageDetail | undefined): Loaded<OwnReport[] | undefined> {
  const id = page?.role === 'owner' ? page.id : undefined;
  return useLoad(async (signal) => (id === undefined ? undefined : listOwnReports(id, signal)), [id]);
}

/** Says that visitors have reported the page, until it is decided or answered. */
export function ReportNotice({ page, reports }: { page: PageDetail; reports: OwnReport[] | undefined }) {
  const waiting = reports?.filter(({ state, answer }) => state === 'open' && answer === null).length ?? 0;
  if (waiting === 0) return null;
  return (
    <p class="notice warn">
      {t(
        '{count|A visitor has|{count} visitors have} reported this page to the administrators of this server.',
        {
          count: waiting,
        },
      )}{' '}
      <Link href={toPageScreen(page.id, REPORTS)}>{t('Answer')}</Link>
    </p>
  );
}
