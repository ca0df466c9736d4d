import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Chart } from '../../ui/chart/index.ts';
import {
  Badge,
  formatBytes,
  formatNumber,
  plural,
  Section,
  Show,
  Skeleton,
  useLoad,
  useRefresh,
} from '../../ui/index.ts';
import { type Health, readHealth } from '../api.ts';

const REFRESH_MS = 15_000;

const SANDBOX: Record<string, [kind: 'good' | 'warn' | 'bad', meaning: string]> = {
  bwrap: ['good', 'Each function is isolated: no network, no files, no other processes.'],
  setpriv: [
    'warn',
    'Functions run as a separate user, without namespaces. Install bubblewrap for full isolation.',
  ],
  plain: ['bad', 'Functions run in separate processes without isolation. Install bubblewrap.'],
};

/** The state of the service, refreshed while the screen is visible. */
export function HealthScreen() {
  const health = useLoad(readHealth, []);
  useRefresh(health.reload, REFRESH_MS);

  return (
    <Show loaded={health} skeleton={<Skeleton lines={12} />}>
      {(report) => (
        <>
          <Charts {...report} />
          <Facts {...report} />
        </>
      )}
    </Show>
  );
}

function Charts({ history, maxCells }: Health) {
  const common = { moments: history.map(({ at }) => at), unit: 'minute' as const, height: 150 };
  const series = (name: string, pick: (sample: Health['history'][number]) => number) => [
    { name, kind: 'area' as const, color: 1 as const, values: history.map(pick) },
  ];
  const last = history.at(-1);
  return (
    <div class="charts admin-charts">
      <Chart
        {...common}
        title={t('Memory')}
        headline={last && formatBytes(last.memoryBytes)}
        series={series(t('Memory'), ({ memoryBytes }) => memoryBytes)}
        format={formatBytes}
        base={1024}
      />
      <Chart
        {...common}
        title={t('CPU, % of a core')}
        headline={last && formatNumber(last.cpuPercent)}
        series={series(t('CPU'), ({ cpuPercent }) => cpuPercent)}
      />
      <Chart
        {...common}
        title={t('Running functions (limit {count})', { count: maxCells })}
        headline={last && formatNumber(last.cells)}
        series={series(t('Running functions'), ({ cells }) => cells)}
      />
    </div>
  );
}

function Facts(report: Health) {
  const { disk } = report;
  const [kind, meaning] = SANDBOX[report.sandbox] ?? (['warn', ''] as const);
  return (
    <Section title="Service">
      <dl class="admin-facts">
        <dt>Version</dt>
        <dd>{report.version}</dd>
        <dt>Uptime</dt>
        <dd>{duration(report.uptimeSeconds)}</dd>
        <dt>Page isolation</dt>
        <dd>
          <Badge kind={report.isolation === 'trusted' ? 'bad' : 'good'}>{report.isolation}</Badge>
        </dd>
        <dt>Function sandbox</dt>
        <dd>
          <Badge kind={kind}>{report.sandbox}</Badge> <span class="faint">{meaning}</span>
        </dd>
        <dt>Free disk space</dt>
        <dd>
          {formatBytes(disk.freeBytes)} of {formatBytes(disk.totalBytes)}{' '}
          {disk.freeBytes < disk.totalBytes / 10 && <Badge kind="bad">Nearly full</Badge>}{' '}
          <Link href="/admin/storage">What fills it</Link>
        </dd>
        <dt>On this machine</dt>
        <dd>{report.embedded.join(', ')}</dd>
        {report.external.length > 0 && (
          <>
            <dt>On other machines</dt>
            <dd>{report.external.join(', ')}</dd>
          </>
        )}
      </dl>
    </Section>
  );
}

/** `3 days 4 hours`, `12 minutes`. */
function duration(seconds: number): string {
  const parts: Array<[number, string]> = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor(seconds / 3_600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
  ];
  const shown = parts.filter(([count]) => count > 0).slice(0, 2);
  return shown.map(([count, unit]) => plural(count, unit)).join(' ') || 'less than a minute';
}
