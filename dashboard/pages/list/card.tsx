import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { formatAgo, formatMoment, formatNumber, PagePicture } from '../../ui/index.ts';
import { Spark } from '../../ui/listing/index.ts';
import { type PageSummary, toPageScreen } from '../api.ts';
import { StatusBadges } from '../status.tsx';

interface Props {
  page: PageSummary;
  /** The views of the last days; undefined if there were none. */
  views: number[] | undefined;
  /** How many people are there now. */
  visitors: number;
}

/** A page in the list. */
export function PageCard({ page, views, visitors }: Props) {
  return (
    <li class="link-card page-card">
      <Link href={toPageScreen(page.id)}>
        <PagePicture page={page} />
        <span class="name" dir="auto">
          {page.name}
        </span>
      </Link>
      {page.taken_down ? (
        <p class="fault page-taken">{t('Taken down: {reason}', { reason: page.taken_down.reason })}</p>
      ) : (
        <>
          <p class="address">/p/{page.slug}</p>
          <div class="facts">
            <span>{t('{count|{count} view|{count} views}', { count: page.views })}</span>
            <ViewsSpark views={views} />
            <span title={formatMoment(page.updated_at)}>{formatAgo(page.updated_at)}</span>
          </div>
        </>
      )}
      {!page.taken_down && <StatusBadges page={page} mode={page.storage_mode} />}
      <Now visitors={visitors} />
    </li>
  );
}

/** A page in the list, as one line. */
export function PageLine({ page, views, visitors }: Props) {
  return (
    <li class="page-line">
      <PagePicture page={page} />
      <div class="page-line-name">
        <Link href={toPageScreen(page.id)}>
          <bdi>{page.name}</bdi>
        </Link>
        {page.taken_down ? (
          <p class="fault">{t('Taken down: {reason}', { reason: page.taken_down.reason })}</p>
        ) : (
          <p class="hint">/p/{page.slug}</p>
        )}
      </div>
      <div class="page-line-state">
        <StatusBadges page={page} mode={page.storage_mode} />
        <Now visitors={visitors} />
      </div>
      <ViewsSpark views={views} />
      <span class="page-line-views">{t('{count|{count} view|{count} views}', { count: page.views })}</span>
      <span class="page-line-ago" title={formatMoment(page.updated_at)}>
        {formatAgo(page.updated_at)}
      </span>
    </li>
  );
}

function ViewsSpark({ views }: Pick<Props, 'views'>) {
  const count = views?.reduce((sum, day) => sum + day, 0) ?? 0;
  const label = t('{count|{shown} view|{shown} views} in the last 14 days', {
    count,
    shown: formatNumber(count),
  });
  return <Spark values={views} label={label} />;
}

function Now({ visitors }: Pick<Props, 'visitors'>) {
  if (visitors === 0) return null;
  return <span class="now">{t('{count} here now', { count: visitors })}</span>;
}
