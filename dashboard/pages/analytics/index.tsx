import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Chart, Figures, type Series } from '../../ui/chart/index.ts';
import {
  Choice,
  Failure,
  formatCredits,
  formatNumber,
  Show,
  Skeleton,
  useLoad,
  useRefresh,
} from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { offersFeatures } from '../settings/features.tsx';
import { type PageAnalytics, type Range, readAnalytics } from './api.ts';
import { Errors } from './errors.tsx';
import { Devices, Documents, Features, Referrers } from './lists.tsx';

const REFRESH_MS = 15_000;
const HEIGHT = 260;

/** How a page is used, and what went wrong in its visitors' browsers. */
export function AnalyticsScreen({ page }: { page: PageDetail }) {
  const [range, setRange] = useState<Range>('7d');
  const loaded = useLoad((signal) => readAnalytics(page.id, range, signal), [page.id, range]);
  useRefresh(loaded.refresh, REFRESH_MS);
  const ranges: Array<[Range, string]> = [
    ['24h', t('24 hours')],
    ['7d', t('7 days')],
    ['30d', t('30 days')],
    ['90d', t('90 days')],
  ];
  return (
    <section class="analytics" aria-label={t('Analytics')}>
      <div class="ranges">
        <Choice label={t('Time range')} value={range} options={ranges} onChoose={setRange} />
        <p class="hint">{t('Updates automatically. Visitors are counted without cookies.')}</p>
      </div>
      {loaded.value && loaded.error && <Failure error={loaded.error} />}
      <Show loaded={loaded} skeleton={<Skeleton kind="report" />}>
        {(found) => <Report page={page} found={found} />}
      </Show>
      <Errors page={page} total={loaded.value?.totals.errors} />
    </section>
  );
}

function Report({ page, found }: { page: PageDetail; found: PageAnalytics }) {
  // Most pages offer none, and need no place for them.
  const hasFeatures = offersFeatures(page) || found.features.length > 0;
  return (
    <>
      <Totals {...found} hasFeatures={hasFeatures} />
      <Visits {...found} isPublished={page.is_published} />
      <div class="analytics-lists">
        <Referrers {...found} />
        <Devices {...found} />
        {found.paths.length > 0 && <Documents {...found} />}
        {hasFeatures && <Features {...found} />}
      </div>
    </>
  );
}

function Totals({ totals, previousTotals: before, hasFeatures }: PageAnalytics & { hasFeatures: boolean }) {
  const compare = (key: keyof typeof totals, isBadUp = false) => ({
    now: totals[key],
    before: before[key],
    isBadUp,
  });
  return (
    <Figures
      figures={[
        { label: t('Visitors'), value: formatNumber(totals.visitors), change: compare('visitors') },
        { label: t('Views'), value: formatNumber(totals.views), change: compare('views') },
        {
          label: t('Errors in browsers'),
          value: formatNumber(totals.errors),
          change: compare('errors', true),
        },
        ...(hasFeatures
          ? [
              {
                label: t('Features used'),
                value: formatNumber(totals.featureUses),
                change: compare('featureUses'),
              },
              { label: t('Credits spent'), value: formatCredits(totals.credits), change: compare('credits') },
            ]
          : []),
      ]}
    />
  );
}

function Visits({ series, previous, unit, isPublished }: PageAnalytics & { isPublished: boolean }) {
  const before: Series = {
    name: t('Previous views'),
    kind: 'line',
    color: 'previous',
    values: previous.map(({ views }) => views),
  };
  const hasBefore = previous.some(({ views }) => views > 0);
  return (
    <Chart
      title={unit === 'hour' ? t('Visits per hour') : t('Visits per day, in UTC')}
      height={HEIGHT}
      moments={series.map(({ at }) => at)}
      unit={unit}
      series={[
        { name: t('Views'), kind: 'bars', color: 'light', values: series.map(({ views }) => views) },
        { name: t('Visitors'), kind: 'bars', color: 1, values: series.map(({ visitors }) => visitors) },
        ...(hasBefore ? [before] : []),
      ]}
      empty={
        isPublished
          ? t('No visits in this period. Share the address of this page to see visits here.')
          : t('This page is a draft. Publish it to get visitors.')
      }
    />
  );
}
