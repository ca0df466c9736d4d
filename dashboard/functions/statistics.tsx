import { useState } from 'preact/hooks';
import type { Stats, StatsPoint, StatsRange } from '../../contract/functions/statistics.ts';
import { t } from '../texts/index.ts';
import { Chart, ChartSkeleton, Figures, momentText } from '../ui/chart/index.ts';
import {
  Choice,
  Failure,
  formatDuration,
  formatNumber,
  formatPercent,
  Show,
  Table,
  useLoad,
  useRefresh,
} from '../ui/index.ts';
import { readStats } from './api.ts';

const REFRESH_MS = 15_000;

/** The number, the errors and the durations of calls. */
export function StatisticsPart({ slug }: { slug: string }) {
  const [range, setRange] = useState<StatsRange>('24h');
  const loaded = useLoad((signal) => readStats(slug, range, signal), [slug, range]);
  useRefresh(loaded.refresh, REFRESH_MS);
  const ranges: Array<[StatsRange, string]> = [
    ['24h', t('24 hours')],
    ['7d', t('7 days')],
    ['30d', t('30 days')],
  ];
  return (
    <section aria-label={t('Statistics')}>
      <div class="ranges">
        <Choice label={t('Time range')} value={range} options={ranges} onChoose={setRange} />
        <p class="hint">{t('Updates automatically.')}</p>
      </div>
      {loaded.value && loaded.error && <Failure error={loaded.error} />}
      <Show loaded={loaded} skeleton={<Loading />}>
        {(stats) => (
          <>
            <Totals {...stats} />
            <Charts {...stats} />
            <Details {...stats} />
          </>
        )}
      </Show>
    </section>
  );
}

function Loading() {
  return (
    <>
      <Figures figures={[{ label: t('Calls'), value: '–' }]} />
      <div class="charts fn-charts">
        <ChartSkeleton />
        <ChartSkeleton />
      </div>
    </>
  );
}

const durationText = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));

function Totals({ totals, previousTotals: before }: Stats) {
  const { calls, errors, p50Ms, p95Ms, maxMs } = totals;
  return (
    <Figures
      figures={[
        {
          label: t('Calls'),
          value: formatNumber(calls),
          ...(before && { change: { now: calls, before: before.calls } }),
        },
        {
          label: t('Errors'),
          value: formatNumber(errors),
          ...(before && { change: { now: errors, before: before.errors, isBadUp: true } }),
        },
        { label: t('Error rate'), value: formatPercent(calls === 0 ? 0 : errors / calls) },
        { label: t('Median duration'), value: durationText(p50Ms) },
        { label: t('95th percentile'), value: durationText(p95Ms) },
        { label: t('Longest'), value: calls === 0 ? '–' : formatDuration(maxMs) },
      ]}
    />
  );
}

function Charts({ series, unit }: Stats) {
  const moments = series.map(({ at }) => at);
  const values = <Key extends keyof StatsPoint>(key: Key) => series.map((point) => point[key]);
  return (
    <div class="charts fn-charts">
      <Chart
        title={unit === 'hour' ? t('Calls per hour') : t('Calls per day')}
        {...{ moments, unit }}
        series={[
          { name: t('Calls'), kind: 'bars', color: 1, values: values('calls') },
          { name: t('Errors'), kind: 'bars', color: 'bad', values: values('errors') },
        ]}
        empty={t('No calls in this period. Call the function to see them here.')}
      />
      <Chart
        title={t('Durations')}
        {...{ moments, unit }}
        format={formatDuration}
        series={[
          { name: 'p99', kind: 'bars', color: 'light', values: values('p99Ms') },
          { name: 'p95', kind: 'bars', color: 'soft', values: values('p95Ms') },
          { name: t('Median'), kind: 'bars', color: 1, values: values('p50Ms') },
        ]}
        empty={t('No calls in this period.')}
      />
    </div>
  );
}

/** Hours or days with calls, the last first. */
function Details({ series, unit }: Stats) {
  const rows = series.filter(({ calls }) => calls > 0).reverse();
  if (rows.length === 0) return null;
  const duration = (title: string, key: 'p50Ms' | 'p95Ms' | 'p99Ms', isMinor = false) => ({
    title,
    isNumber: true,
    isMinor,
    cell: (row: StatsPoint) => durationText(row[key]),
  });
  return (
    <details class="fn-figures">
      <summary>{t('Show as a table')}</summary>
      <Table
        caption={unit === 'hour' ? t('Calls per hour') : t('Calls per day')}
        rows={rows}
        getKey={({ at }) => at}
        columns={[
          { title: unit === 'hour' ? t('Hour') : t('Day'), cell: ({ at }) => momentText(at, unit) },
          { title: t('Calls'), isNumber: true, cell: ({ calls }) => formatNumber(calls) },
          { title: t('Errors'), isNumber: true, cell: ({ errors }) => formatNumber(errors) },
          duration(t('Median'), 'p50Ms'),
          duration('p95', 'p95Ms'),
          duration('p99', 'p99Ms', true),
          { title: t('Longest'), isNumber: true, cell: ({ maxMs }) => formatDuration(maxMs) },
        ]}
      />
      <p class="hint">
        {unit === 'hour'
          ? t('Hours without calls are not listed.')
          : t('Days are in UTC. Days without calls are not listed.')}
      </p>
    </details>
  );
}
