import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { formatAgo, formatMoment, PagePicture } from '../../ui/index.ts';
import { type PageSummary, toPageScreen } from '../api.ts';
import { StatusBadges } from '../status.tsx';

/** A page in the list. */
export function PageCard({ page }: { page: PageSummary }) {
  return (
    <li class="link-card page-card">
      <Link href={toPageScreen(page.id)}>
        <PagePicture page={page} />
        <span class="name">{page.name}</span>
      </Link>
      {page.taken_down ? (
        <p class="fault page-taken">{t('Taken down: {reason}', { reason: page.taken_down.reason })}</p>
      ) : (
        <>
          <p class="address">/p/{page.slug}</p>
          <p class="facts">
            <span>{t('{count|{count} view|{count} views}', { count: page.views })}</span>
            <span title={formatMoment(page.updated_at)}>{formatAgo(page.updated_at)}</span>
          </p>
        </>
      )}
      {!page.taken_down && <StatusBadges page={page} mode={page.storage_mode} />}
    </li>
  );
}
