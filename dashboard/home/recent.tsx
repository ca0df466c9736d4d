import type { Home } from '../../contract/accounts/home/home.ts';
import type { FunctionSummary } from '../../contract/functions/functions.ts';
import type { PageSummary } from '../../contract/pages/pages.ts';
import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import { Badge, Empty, formatAgo, formatMoment, formatNumber, PagePicture, Section } from '../ui/index.ts';
import { Spark, useActivity } from '../ui/listing/index.ts';

/** The pages that were changed last. */
export function RecentPages({ pages }: { pages: PageSummary[] }) {
  const { views } = useActivity();
  if (pages.length === 0)
    return (
      <Section title={t('Recent pages')}>
        <Empty title={t('No pages yet')}>
          <Link href="/pages/new">{t('Start with a template')}</Link>
        </Empty>
      </Section>
    );
  return (
    <section class="home-section">
      <div class="home-head">
        <h2>{t('Recent pages')}</h2>
        <Link href="/pages">{t('All pages')}</Link>
      </div>
      <ul class="home-pages">
        {pages.map((page) => (
          <li key={page.id} class="link-card home-page">
            <Link href={`/pages/${page.id}`}>
              <PagePicture page={page} />
              <span class="name" dir="auto">
                {page.name}
              </span>
            </Link>
            <p class="hint">
              <PageState page={page} />
              {page.is_published && (
                <Spark values={views.get(page.id)} label={t('Views in the last 14 days')} />
              )}
              <span title={formatMoment(page.updated_at)}>{formatAgo(page.updated_at)}</span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function PageState({ page }: { page: PageSummary }) {
  if (page.taken_down) return <Badge kind="bad">{t('Taken down')}</Badge>;
  if (!page.is_published) return <Badge kind="warn">{t('Not published')}</Badge>;
  return (
    <span>{t('{count|One view|{views} views}', { count: page.views, views: formatNumber(page.views) })}</span>
  );
}

/** The functions that were deployed last. */
export function RecentFunctions({
  functions,
  failing,
}: {
  functions: FunctionSummary[];
  failing: Home['failingFunctions'];
}) {
  const failed = new Map(failing.map(({ slug, errors }) => [slug, errors]));
  return (
    <Section title={t('Recent functions')}>
      {functions.length === 0 ? (
        <p class="hint">
          {t('A function is code that runs on this server, with a database if it needs one.')}{' '}
          <Link href="/functions/_new">{t('Deploy one')}</Link>
        </p>
      ) : (
        <ul class="home-functions">
          {functions.map(({ slug, displayName, updatedAt, takenDown }) => (
            <li key={slug}>
              <Link href={`/functions/${slug}`}>{displayName || slug}</Link>
              {takenDown && <Badge kind="bad">{t('Taken down')}</Badge>}
              {failed.has(slug) && (
                <Badge kind="bad">
                  {t('{count|One error|{count} errors}', { count: failed.get(slug) ?? 0 })}
                </Badge>
              )}
              <span class="hint" title={formatMoment(updatedAt)}>
                {formatAgo(updatedAt)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
