import { useState } from 'preact/hooks';
import {
  Button,
  Chart,
  Choice,
  Empty,
  Failure,
  formatNumber,
  Show,
  Skeleton,
  Table,
  useLoad,
} from '../ui/index.ts';
import { type HourlyStats, readStats } from './api.ts';
import { formatHour } from './clock.ts';
import { lastHours, totalOf } from './series.ts';

const RANGES = [
  [24, '24 hours'],
  [7 * 24, '7 days'],
] as const;

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** The number, the errors and the durations of calls. */
export function StatisticsPart({ slug }: { slug: string }) {
  const loaded = useLoad((signal) => readStats(slug, signal), [slug]);
  const [hours, setHours] = useState<number>(24);
  return (
    <section aria-label="Statistics">
      <div class="fn-bar">
        <Choice label="Time range" value={hours} options={RANGES} onChoose={setHours} />
        <Button kind="quiet" onClick={loaded.reload}>
          Refresh
        </Button>
      </div>
      {loaded.value && loaded.error && <Failure error={loaded.error} />}
      <Show loaded={loaded} skeleton={<Skeleton lines={10} />}>
        {(stats) => <Figures series={lastHours(stats, hours, Date.now())} isAllEmpty={stats.length === 0} />}
      </Show>
    </section>
  );
}

function Figures({ series, isAllEmpty }: { series: HourlyStats[]; isAllEmpty: boolean }) {
  if (isAllEmpty)
    return <Empty title="No calls in the last 7 days">Call the function to see its statistics here.</Empty>;
  return (
    <>
      <Totals series={series} />
      <Charts series={series} />
      <details class="fn-figures">
        <summary>Show as a table</summary>
        <Table
          caption="Calls per hour"
          rows={series.filter(({ calls }) => calls > 0).reverse()}
          keyOf={({ hour }) => hour}
          columns={[
            { title: 'Hour', cell: labelOf },
            { title: 'Calls', isNumber: true, cell: ({ calls }) => formatNumber(calls) },
            { title: 'Errors', isNumber: true, cell: ({ errors }) => formatNumber(errors) },
            { title: 'Average', isNumber: true, cell: ({ averageMs }) => ms(averageMs) },
            { title: 'Longest', isNumber: true, cell: ({ maxMs }) => ms(maxMs) },
          ]}
        />
        <p class="hint">Hours without calls are not listed.</p>
      </details>
    </>
  );
}

function Totals({ series }: { series: HourlyStats[] }) {
  const total = totalOf(series);
  const totals = [
    ['Calls', formatNumber(total.calls)],
    ['Errors', formatNumber(total.errors)],
    ['Error rate', percent.format(total.errorRate)],
    ['Average', ms(total.averageMs)],
    ['Longest', ms(total.maxMs)],
  ];
  return (
    <dl class="fn-totals">
      {totals.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Charts({ series }: { series: HourlyStats[] }) {
  const total = totalOf(series);
  const points = (pick: (hour: HourlyStats) => number) =>
    series.map((hour) => ({ label: labelOf(hour), value: pick(hour) }));
  return (
    <div class="charts fn-charts">
      <Chart
        title="Calls per hour"
        headline={formatNumber(total.calls)}
        points={points(({ calls }) => calls)}
      />
      <div class="fn-errors">
        <Chart
          title="Errors per hour"
          headline={formatNumber(total.errors)}
          points={points(({ errors }) => errors)}
        />
      </div>
      <Chart
        title="Average duration"
        headline={ms(total.averageMs)}
        unit="ms"
        points={points(({ averageMs }) => averageMs)}
      />
      <Chart
        title="Longest duration"
        headline={ms(total.maxMs)}
        unit="ms"
        points={points(({ maxMs }) => maxMs)}
      />
    </div>
  );
}

const ms = (value: number) => `${formatNumber(value)} ms`;
const labelOf = ({ hour }: HourlyStats) => formatHour(hour);
