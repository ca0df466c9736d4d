import type { HealthFields } from '../../contract/service.ts';
import type { Config } from '../platform/config/index.ts';

const SANDBOX_NOTES: Record<string, string> = {
  bwrap: 'bwrap (no network, no files, own user)',
  setpriv: 'setpriv (own user only; install bubblewrap for full isolation)',
  plain: 'plain (own process only; install bubblewrap for full isolation)',
};

/** What pages cannot do without hosts of their own, and the setting that helps. */
const SANDBOX_LIMITS =
  ' (no storage, and sites built for the top of a host are blank; QUIRE_PAGES_HOST gives pages hosts of their own)';

/** The text that `quire serve` prints when the server is ready. */
export function banner(options: {
  config: Config;
  health: HealthFields;
  setupLink: string | undefined;
}): string {
  const { config, health, setupLink } = options;
  const isolation = config.pagesHost
    ? `${config.isolation} (pages at p<id>.${config.pagesHost})`
    : `${config.isolation}${config.isolation === 'sandbox' ? SANDBOX_LIMITS : ''}`;
  const database = health.external.includes('PostgreSQL') ? 'PostgreSQL' : 'SQLite';
  const rows: Array<[string, string]> = [
    ['address', config.baseUrl],
    ['listening', `${config.hostname ?? 'all interfaces'}, port ${config.port}`],
    ['data', config.dataFolder],
    ['database', database],
    ...(config.redisUrl ? [['redis', new URL(config.redisUrl).host] as [string, string]] : []),
    ...(config.s3
      ? [['bucket', `${config.s3.bucket} at ${config.s3.endpoint ?? 'AWS'}`] as [string, string]]
      : []),
    ...(config.cluster
      ? [
          [
            'cluster',
            `${config.cluster.address}, ${config.cluster.shards} shards${config.cluster.hasTls ? ', TLS' : ''}`,
          ] as [string, string],
        ]
      : []),
    ['isolation', isolation],
    ['sandbox', SANDBOX_NOTES[health.sandbox] ?? health.sandbox],
    ['chat', provider(health.providers.chat)],
    ['images', provider(health.providers.images)],
    ['image search', provider(health.providers.imageSearch)],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(13)} ${value}`);
  if (setupLink)
    lines.push(
      '',
      '  There is no administrator yet. To become one, open this link (it works once):',
      `  ${setupLink}`,
    );
  return ['', '  Quire', '', ...lines, ''].join('\n');
}

function provider(name = ''): string {
  return name === 'demo' ? 'demo (offline, not a real provider)' : name;
}
