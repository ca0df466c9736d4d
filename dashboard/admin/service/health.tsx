import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Chart } from '../../ui/chart/index.ts';
import {
  Badge,
  formatBytes,
  formatMoment,
  formatNumber,
  Section,
  Show,
  Skeleton,
  useLoad,
  useRefresh,
} from '../../ui/index.ts';
import { type Health, readHealth } from '../api.ts';
import { sayProblem } from './say-problem.ts';

const REFRESH_MS = 15_000;

const SANDBOX: Record<string, [kind: 'good' | 'warn' | 'bad', meaning: string]> = {
  bwrap: ['good', t('Each function is isolated: no network, no files, no other processes.')],
  setpriv: [
    'warn',
    t('Functions run as a separate user, without namespaces. Install bubblewrap for full isolation.'),
  ],
  plain: ['bad', t('Functions run in separate processes without isolation. Install bubblewrap.')],
};

const ISOLATION: Record<string, string> = {
  origin: t('Each page has a host of its own, separate from the dashboard and from other pages.'),
  sandbox: t(
    'Pages run in a sandbox and cannot reach the dashboard. They have no storage, and sites built for the top of a host are blank: set QUIRE_PAGES_HOST to give them hosts of their own.',
  ),
  trusted: t('Pages can do everything that their visitors can. Use this only for your own pages.'),
};

/** The state of the service, refreshed while the screen is visible. */
export function HealthScreen() {
  const health = useLoad(readHealth, []);
  useRefresh(health.refresh, REFRESH_MS);

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

function ReplicaFact({ isLate, problem, ageSeconds, oldestAt }: NonNullable<Health['replica']>) {
  const isThere = ageSeconds !== null;
  return (
    <>
      <dt>{t('Replica')}</dt>
      <dd>
        {isLate ? (
          <Badge kind="bad">{t('Behind')}</Badge>
        ) : (
          <Badge kind={isThere ? 'good' : 'warn'}>{isThere ? t('Up to date') : t('First copy')}</Badge>
        )}{' '}
        <span class="faint">
          {problem
            ? sayProblem(problem)
            : oldestAt && t('Every second since {time} can be restored.', { time: formatMoment(oldestAt) })}
        </span>
      </dd>
    </>
  );
}

function Facts(report: Health) {
  const { disk } = report;
  const [kind, meaning] = SANDBOX[report.sandbox] ?? (['warn', ''] as const);
  return (
    <Section title={t('Service')}>
      <dl class="admin-facts">
        <dt>{t('Version')}</dt>
        <dd>{report.version}</dd>
        <dt>{t('Uptime')}</dt>
        <dd>{duration(report.uptimeSeconds)}</dd>
        <dt>{t('Page isolation')}</dt>
        <dd>
          <Badge kind={report.isolation === 'trusted' ? 'bad' : 'good'}>{report.isolation}</Badge>{' '}
          <span class="faint">{ISOLATION[report.isolation]}</span>
        </dd>
        <dt>{t('Function sandbox')}</dt>
        <dd>
          <Badge kind={kind}>{report.sandbox}</Badge> <span class="faint">{meaning}</span>
        </dd>
        <dt>{t('Free disk space')}</dt>
        <dd>
          {t('{size} of {total}', { size: formatBytes(disk.freeBytes), total: formatBytes(disk.totalBytes) })}{' '}
          {disk.freeBytes < disk.totalBytes / 10 && <Badge kind="bad">{t('Nearly full')}</Badge>}{' '}
          <Link href="/admin/storage">{t('See what uses it')}</Link>
        </dd>
        {report.replica && <ReplicaFact {...report.replica} />}
        <dt>{t('On this machine')}</dt>
        <dd>{report.embedded.map(partName).join(', ')}</dd>
        {report.external.length > 0 && (
          <>
            <dt>{t('On other machines')}</dt>
            <dd>{report.external.map(partName).join(', ')}</dd>
          </>
        )}
      </dl>
    </Section>
  );
}

/** What the server reports in English. Names of products are the same in every language. */
const PARTS: Readonly<Record<string, string>> = {
  'functions on workerd': t('functions on workerd'),
  'limits in memory': t('limits in memory'),
  'Redis (unavailable: limits and events apply to this node only)': t(
    'Redis (unavailable: limits and events apply to this node only)',
  ),
  'mail server': t('mail server'),
};
const SINGLE_SIGN_ON = /^single sign-on with (.*)$/;

function partName(part: string): string {
  const [, name] = SINGLE_SIGN_ON.exec(part) ?? [];
  return name === undefined ? (PARTS[part] ?? part) : t('single sign-on with {name}', { name });
}

/** `3 days 4 hours`, `12 minutes`. */
function duration(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3_600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  const parts = [
    days > 0 && t('{count|{count} day|{count} days}', { count: days }),
    hours > 0 && t('{count|{count} hour|{count} hours}', { count: hours }),
    minutes > 0 && t('{count|{count} minute|{count} minutes}', { count: minutes }),
  ];
  return parts.filter(Boolean).slice(0, 2).join(' ') || t('less than a minute');
}
