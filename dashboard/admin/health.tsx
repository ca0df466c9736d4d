import { useEffect } from 'preact/hooks';
import {
  Badge,
  Chart,
  formatBytes,
  formatNumber,
  plural,
  Section,
  Show,
  Skeleton,
  useLoad,
} from '../ui/index.ts';
import { type Health, readHealth } from './api.ts';

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
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void health.reload();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [health.reload]);

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
  const series = (pick: (sample: Health['history'][number]) => number) =>
    history.map((sample) => ({ label: timeOf(sample.at), value: pick(sample) }));
  return (
    <div class="charts admin-charts">
      <Chart
        title="Memory"
        kind="line"
        points={series(({ memoryBytes }) => memoryBytes)}
        format={formatBytes}
      />
      <Chart title="CPU" kind="line" points={series(({ cpuPercent }) => cpuPercent)} unit="% of a core" />
      <Chart
        title={`Running functions (limit ${formatNumber(maxCells)})`}
        kind="line"
        points={series(({ cells }) => cells)}
      />
    </div>
  );
}

function Facts(report: Health) {
  const [kind, meaning] = SANDBOX[report.sandbox] ?? (['warn', ''] as const);
  return (
    <>
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
      <Storage disk={report.disk} />
      <Providers providers={report.providers} />
    </>
  );
}

function Storage({ disk: { freeBytes, totalBytes, databaseBytes } }: Pick<Health, 'disk'>) {
  const isNearlyFull = freeBytes < totalBytes / 10;
  return (
    <Section title="Storage">
      <dl class="admin-facts">
        <dt>Free disk space</dt>
        <dd>
          {formatBytes(freeBytes)} of {formatBytes(totalBytes)}{' '}
          {isNearlyFull && <Badge kind="warn">nearly full</Badge>}
        </dd>
        {databaseBytes !== null && (
          <>
            <dt>Database</dt>
            <dd>{formatBytes(databaseBytes)}</dd>
          </>
        )}
      </dl>
    </Section>
  );
}

function Providers({ providers }: Pick<Health, 'providers'>) {
  return (
    <Section title="Providers" hint="Services that pages use for AI chat and images.">
      <dl class="admin-facts">
        {Object.entries(providers).map(([job, provider]) => (
          <>
            <dt>{JOBS[job] ?? job}</dt>
            <dd>
              {provider}{' '}
              {provider === 'demo' && <Badge kind="warn">built-in demo, not a real provider</Badge>}
            </dd>
          </>
        ))}
      </dl>
    </Section>
  );
}

const JOBS: Record<string, string> = {
  chat: 'Chat and image recognition',
  images: 'Image generation',
  imageSearch: 'Image search',
};

const timeOf = (iso: string) =>
  new Date(iso).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit' });

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
