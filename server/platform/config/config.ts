import { resolve } from 'node:path';
import { baseUrlOf, isLocalhost, Settings } from './settings.ts';

/** Reads the settings. Nothing else reads the environment. */

export type Isolation = 'origin' | 'sandbox' | 'trusted';

/** The settings in the form that the code uses. */
export type Config = ReturnType<typeof readConfig>;

/** Thrown with one message that lists every invalid setting. */
export class ConfigError extends Error {}

export function readConfig(environment: Record<string, string | undefined>) {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = Settings.safeParse(present);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`These settings are invalid:\n${lines.join('\n')}`);
  }
  const s = parsed.data;
  const base = baseUrlOf(s);
  const portSuffix = base.port ? `:${base.port}` : '';
  const withPort = (name: string) => (name.includes(':') ? name : name + portSuffix);

  const pagesHost = s.QUIRE_PAGES_HOST ?? (isLocalhost(base) ? 'pages.localhost' : undefined);
  const functionsHost = s.QUIRE_FUNCTIONS_HOST ?? (isLocalhost(base) ? 'functions.localhost' : undefined);
  const isolation: Isolation =
    s.QUIRE_ISOLATION !== 'auto' ? s.QUIRE_ISOLATION : pagesHost ? 'origin' : 'sandbox';

  const s3 = s.S3_BUCKET
    ? {
        bucket: s.S3_BUCKET,
        endpoint: s.S3_ENDPOINT,
        region: s.S3_REGION,
        accessKeyId: s.S3_ACCESS_KEY_ID ?? '',
        secretAccessKey: s.S3_SECRET_ACCESS_KEY ?? '',
      }
    : undefined;

  return {
    port: s.PORT,
    /** The address to listen on; undefined for all addresses. */
    hostname: s.QUIRE_HOST,
    dataFolder: resolve(s.QUIRE_DATA),
    baseUrl: base.origin,
    isolation,
    /** With origin isolation, pages are at `p<id>.<pagesHost>`. */
    pagesHost: isolation === 'origin' && pagesHost ? withPort(pagesHost) : undefined,
    /** Functions are also at `f<id>.<functionsHost>`, if it is set. */
    functionsHost: functionsHost && withPort(functionsHost),
    registration: s.QUIRE_REGISTRATION,
    trustedProxies: s.QUIRE_TRUSTED_PROXIES,
    metricsAllow: s.QUIRE_METRICS_ALLOW,
    sandbox: s.QUIRE_SANDBOX,
    egressAllow: s.QUIRE_EGRESS_ALLOW,
    egressConnections: s.QUIRE_EGRESS_CONNECTIONS,
    egressConnectionsPerOwner: s.QUIRE_EGRESS_CONNECTIONS_PER_OWNER,
    databaseTempBytes: s.QUIRE_DATABASE_TEMP_MB * 1024 ** 2,
    callsPerMinute: s.QUIRE_FUNCTION_CALLS_PER_MINUTE,
    deploysPerHour: s.QUIRE_DEPLOYS_PER_HOUR,
    maxCells: s.QUIRE_CELLS,
    /** How many of them one owner can use. */
    maxCellsPerOwner: s.QUIRE_CELLS_PER_OWNER ?? Math.max(1, Math.floor(s.QUIRE_CELLS / 4)),
    cellLimits: { cpuMs: s.QUIRE_CELL_CPU_SECONDS * 1000, memoryMegabytes: s.QUIRE_FUNCTION_MEMORY_MB },
    logLevel: s.QUIRE_LOG_LEVEL,
    secret: s.QUIRE_SECRET,
    databaseUrl: s.DATABASE_URL,
    redisUrl: s.REDIS_URL,
    s3,
    /** The settings of a cluster node; undefined on one machine. */
    cluster:
      s.QUIRE_CLUSTER_ADDRESS && s.QUIRE_SECRET && s3
        ? {
            address: s.QUIRE_CLUSTER_ADDRESS,
            shards: s.QUIRE_CLUSTER_SHARDS,
            secret: Buffer.from(s.QUIRE_SECRET),
            s3,
          }
        : undefined,
    /** How long a stopping node keeps responding. */
    drainMs: 1000 * (s.QUIRE_DRAIN_SECONDS ?? (s.QUIRE_CLUSTER_ADDRESS ? 5 : 0)),
    quotas: {
      pages: s.QUIRE_QUOTA_PAGES || Number.POSITIVE_INFINITY,
      functions: s.QUIRE_QUOTA_FUNCTIONS || Number.POSITIVE_INFINITY,
      bytes: s.QUIRE_QUOTA_BYTES || Number.POSITIVE_INFINITY,
    },
    attempts: {
      loginFailuresPerUsername: s.QUIRE_LOGIN_FAILURES_PER_USERNAME,
      loginFailuresPerAddress: s.QUIRE_LOGIN_FAILURES_PER_ADDRESS,
      registrationsPerHour: s.QUIRE_REGISTRATIONS_PER_HOUR,
    },
    /** Credits of a new account: some for the demo, none for providers that cost the operator money. */
    creditsForNewUser:
      s.QUIRE_CREDITS_NEW_USER ?? (s.QUIRE_AI_PROVIDER === 'demo' && !s.QUIRE_IMAGE_URL ? 20 : 0),
    providers: {
      chat: s.QUIRE_AI_PROVIDER,
      images: s.QUIRE_IMAGE_URL ? ('openai-compatible' as const) : ('demo' as const),
      imageSearch: s.QUIRE_IMAGE_SEARCH,
    },
    ai: {
      provider: s.QUIRE_AI_PROVIDER,
      url: s.QUIRE_AI_URL,
      key: s.QUIRE_AI_KEY,
      model: s.QUIRE_AI_MODEL,
      visionModel: s.QUIRE_VISION_MODEL ?? s.QUIRE_AI_MODEL,
    },
    images: { url: s.QUIRE_IMAGE_URL, key: s.QUIRE_IMAGE_KEY, model: s.QUIRE_IMAGE_MODEL },
    imageSearch: { provider: s.QUIRE_IMAGE_SEARCH, url: s.QUIRE_IMAGE_SEARCH_URL },
  };
}
