import { resolve } from 'node:path';
import { faultText } from '../../../contract/error-body.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { readSecretFiles, secretFiles } from './secret-files.ts';
import { isLocalhost, readBaseUrl, Settings } from './settings.ts';

/** Reads the settings. Nothing else reads the environment. */

export type Isolation = 'origin' | 'sandbox' | 'trusted';

/** The settings in the form that the code uses. */
export type Config = ReturnType<typeof readConfig>;

/** Thrown with one message that lists every invalid setting. */
export class ConfigError extends Error {}

export function readConfig(environment: Record<string, string | undefined>) {
  const settings = parse(environment);
  const s3 = readS3(settings);
  return {
    ...readAddresses(settings),
    ...readFunctions(settings),
    ...readCluster(settings, s3),
    ...readProviders(settings),
    ...readPeople(settings),
    backups: readBackups(settings),
    dataFolder: resolve(settings.QUIRE_DATA),
    chromium: settings.QUIRE_CHROMIUM,
    pagePictures: settings.QUIRE_PAGE_PICTURES === 'on',
    anonymousPages: settings.QUIRE_ANONYMOUS_PAGES === 'on',
    dnsServers: settings.QUIRE_DNS_SERVERS,
    registration: settings.QUIRE_REGISTRATION,
    securityContact: settings.QUIRE_SECURITY_CONTACT,
    trustedProxies: settings.QUIRE_TRUSTED_PROXIES,
    metricsAllow: settings.QUIRE_METRICS_ALLOW,
    maxSockets: settings.QUIRE_SOCKETS,
    formsPerMinute: settings.QUIRE_FORMS_PER_MINUTE,
    formsPerDay: settings.QUIRE_FORMS_PER_DAY,
    functionMail: settings.QUIRE_FUNCTION_MAIL,
    auditLog: settings.QUIRE_AUDIT_LOG,
    logLevel: settings.QUIRE_LOG_LEVEL,
    traces: readTraces(settings),
    secret: settings.QUIRE_SECRET,
    /** The key that `secret` replaces. */
    secretOld: settings.QUIRE_SECRET_OLD,
    secretFiles: secretFiles(environment),
    databaseUrl: settings.DATABASE_URL,
    redisUrl: settings.REDIS_URL,
    s3,
    /** How long earlier states are kept; 0 for not at all. */
    historyDays: settings.QUIRE_HISTORY_DAYS,
    replica: readReplica(settings),
    quotas: {
      pages: settings.QUIRE_QUOTA_PAGES || Number.POSITIVE_INFINITY,
      functions: settings.QUIRE_QUOTA_FUNCTIONS || Number.POSITIVE_INFINITY,
      bytes: settings.QUIRE_QUOTA_BYTES || Number.POSITIVE_INFINITY,
    },
    attempts: {
      loginFailuresPerUsername: settings.QUIRE_LOGIN_FAILURES_PER_USERNAME,
      loginFailuresPerAddress: settings.QUIRE_LOGIN_FAILURES_PER_ADDRESS,
      registrationsPerHour: settings.QUIRE_REGISTRATIONS_PER_HOUR,
    },
  };
}

function parse(environment: Record<string, string | undefined>): Settings {
  const { environment: complete, faults } = readSecretFiles(environment);
  const present = Object.fromEntries(Object.entries(complete).filter(([, value]) => value !== ''));
  // Compiling the schema takes longer than this one use of it.
  const parsed = Settings.safeParse(present, { jitless: true, error: faultText });
  if (parsed.success && faults.size === 0) return parsed.data;
  const invalid = (parsed.error?.issues ?? [])
    .map((issue) => ({ name: issue.path.join('.'), message: issue.message }))
    .filter(({ name }) => !faults.has(name))
    .map(({ name, message }) => `${name}: ${message}`);
  const lines = [...faults.values(), ...invalid].map((line) => `  ${line}`);
  throw new ConfigError(`These settings are invalid:\n${lines.join('\n')}`);
}

function readAddresses(settings: Settings) {
  const base = readBaseUrl(settings);
  const portSuffix = base.port ? `:${base.port}` : '';
  const withPort = (name: string) => (name.includes(':') ? name : name + portSuffix);
  const pagesHost = settings.QUIRE_PAGES_HOST ?? (isLocalhost(base) ? 'pages.localhost' : undefined);
  const functionsHost =
    settings.QUIRE_FUNCTIONS_HOST ?? (isLocalhost(base) ? 'functions.localhost' : undefined);
  const chosen: Isolation = pagesHost ? 'origin' : 'sandbox';
  const isolation = settings.QUIRE_ISOLATION === 'auto' ? chosen : settings.QUIRE_ISOLATION;
  return {
    port: settings.PORT,
    /** The address to listen on; undefined for all addresses. */
    hostname: settings.QUIRE_HOST,
    baseUrl: base.origin,
    isolation,
    /** With origin isolation, pages are at `p<id>.<pagesHost>`. */
    pagesHost: isolation === 'origin' && pagesHost ? withPort(pagesHost) : undefined,
    /** Functions are also at `f<id>.<functionsHost>`, if it is set. */
    functionsHost: functionsHost && withPort(functionsHost),
  };
}

function readFunctions(settings: Settings) {
  const { QUIRE_NPM_REGISTRY: registry } = settings;
  return {
    /** The registry of packages; undefined if they are off. Without a URL, the one that npm uses here. */
    npmRegistry: registry === 'off' ? undefined : { url: registry },
    sandbox: settings.QUIRE_SANDBOX,
    egressAllow: settings.QUIRE_EGRESS_ALLOW,
    egressConnections: settings.QUIRE_EGRESS_CONNECTIONS,
    egressConnectionsPerOwner: settings.QUIRE_EGRESS_CONNECTIONS_PER_OWNER,
    databaseTempBytes: settings.QUIRE_DATABASE_TEMP_MB * 1024 ** 2,
    callsPerMinute: settings.QUIRE_FUNCTION_CALLS_PER_MINUTE,
    deploysPerHour: settings.QUIRE_DEPLOYS_PER_HOUR,
    scheduledRunsPerMinute: settings.QUIRE_SCHEDULED_RUNS_PER_MINUTE,
    maxCells: settings.QUIRE_CELLS,
    /** How many cells one owner can use. */
    maxCellsPerOwner: settings.QUIRE_CELLS_PER_OWNER ?? Math.max(1, Math.floor(settings.QUIRE_CELLS / 4)),
    cellLimits: {
      cpuMs: settings.QUIRE_CELL_CPU_SECONDS * 1000,
      memoryMegabytes: settings.QUIRE_FUNCTION_MEMORY_MB,
    },
  };
}

function readPeople(settings: Settings) {
  const { QUIRE_OIDC_ISSUER: issuer, QUIRE_MAIL_FROM: from } = settings;
  return {
    /** The mail server; undefined if no mail is sent. */
    mail: settings.QUIRE_SMTP_URL
      ? { smtpUrl: settings.QUIRE_SMTP_URL, from: from ?? `Quire <quire@${readBaseUrl(settings).hostname}>` }
      : undefined,
    /** The single sign-on provider, if there is one. */
    oidc: issuer
      ? {
          issuer,
          clientId: settings.QUIRE_OIDC_CLIENT_ID ?? '',
          clientSecret: settings.QUIRE_OIDC_CLIENT_SECRET ?? '',
          name: settings.QUIRE_OIDC_NAME ?? new URL(issuer).hostname,
        }
      : undefined,
  };
}

function readBackups(settings: Settings) {
  const { QUIRE_BACKUP_FOLDER: folder, QUIRE_BACKUP_SCHEDULE: schedule } = settings;
  return {
    /** When the server backs itself up, in UTC; undefined if it never does by itself. */
    schedule: schedule === 'elsewhere' ? undefined : schedule,
    /** Whether something else makes backups. */
    isElsewhere: schedule === 'elsewhere',
    keep: settings.QUIRE_BACKUP_KEEP,
    /** Public keys that backups are encrypted for; none if they are not. */
    recipients: settings.QUIRE_BACKUP_KEY,
    folder: folder && resolve(folder),
  };
}

function readS3(settings: Settings) {
  return settings.S3_BUCKET ? readBucket(settings, settings.S3_BUCKET) : undefined;
}

function readBucket(settings: Settings, bucket: string) {
  return {
    bucket,
    endpoint: settings.S3_ENDPOINT,
    region: settings.S3_REGION,
    accessKeyId: settings.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: settings.S3_SECRET_ACCESS_KEY ?? '',
  };
}

/** Where traces are sent, and which part of the requests is traced; undefined if there are none. */
function readTraces(settings: Settings) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  if (endpoint === undefined) return undefined;
  return {
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    resource: { 'service.name': settings.OTEL_SERVICE_NAME, 'service.version': packageJson.version },
    ratio: settings.OTEL_TRACES_SAMPLER_ARG,
  };
}

/** Where the replica of this server is; undefined if there is none. */
function readReplica(settings: Settings) {
  const { QUIRE_REPLICA: place } = settings;
  if (place?.kind !== 'bucket') return place;
  const { kind, bucket, prefix } = place;
  return { kind, prefix, s3: readBucket(settings, bucket) };
}

function readCluster(settings: Settings, s3: ReturnType<typeof readS3>) {
  const { QUIRE_CLUSTER_ADDRESS: address } = settings;
  return {
    /** The settings of a cluster node; undefined on one machine. */
    cluster:
      address && s3
        ? {
            address,
            shards: settings.QUIRE_CLUSTER_SHARDS,
            /** Whether nodes encrypt what they send each other. */
            hasTls: settings.QUIRE_CLUSTER_TLS === 'on',
            s3,
          }
        : undefined,
    /** How long a stopping node keeps responding. */
    drainMs: 1000 * (settings.QUIRE_DRAIN_SECONDS ?? (address ? 5 : 0)),
  };
}

function readProviders(settings: Settings) {
  return {
    /** Credits of a new account; undefined if the environment does not say. */
    creditsForNewUser: settings.QUIRE_CREDITS_NEW_USER,
    /** What administrators cannot change while the service runs. */
    isSetByEnvironment: {
      chat: settings.QUIRE_AI_PROVIDER !== undefined,
      images: settings.QUIRE_IMAGE_URL !== undefined,
      'image-search':
        settings.QUIRE_IMAGE_SEARCH !== undefined || settings.QUIRE_IMAGE_SEARCH_URL !== undefined,
    },
    ai: {
      provider: settings.QUIRE_AI_PROVIDER ?? ('demo' as const),
      url: settings.QUIRE_AI_URL,
      key: settings.QUIRE_AI_KEY,
      model: settings.QUIRE_AI_MODEL,
      visionModel: settings.QUIRE_VISION_MODEL ?? settings.QUIRE_AI_MODEL,
      embedModel: settings.QUIRE_AI_EMBED_MODEL,
      models: settings.QUIRE_AI_MODELS,
    },
    images: {
      url: settings.QUIRE_IMAGE_URL,
      key: settings.QUIRE_IMAGE_KEY,
      model: settings.QUIRE_IMAGE_MODEL,
    },
    imageSearch: {
      provider: settings.QUIRE_IMAGE_SEARCH ?? ('openverse' as const),
      url: settings.QUIRE_IMAGE_SEARCH_URL,
    },
  };
}
