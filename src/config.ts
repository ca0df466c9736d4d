import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { parseBlock } from './lib/addresses.ts';

/** Reads the settings. This is the only place that looks at the environment. */

const list = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter(Boolean));

const blocks = list.refine(
  (all) => all.every(parseBlock),
  'must be address blocks like 10.0.0.0/8, separated by commas',
);

const wholeNumber = z.coerce
  .number('must be a whole number')
  .int('must be a whole number')
  .min(0, 'must not be negative');
const count = (fallback: number) => wholeNumber.default(fallback);

const host = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i,
    'must be a host name, with :port if it differs from the base URL',
  )
  .transform((name) => name.toLowerCase());

const httpUrl = z
  .string()
  .refine(
    (text) => /^https?:\/\//.test(text) && URL.canParse(text),
    'must be an address like https://quire.example.com',
  );

const baseUrl = httpUrl.refine((text) => {
  const url = URL.parse(text);
  return url !== null && url.pathname === '/' && !url.search && !url.hash && !url.username;
}, 'must have no path, query or password');

const Settings = z
  .object({
    PORT: z.coerce
      .number('must be a port')
      .int('must be a port')
      .min(0, 'must be a port')
      .max(65535, 'must be a port')
      .default(3000),
    QUIRE_HOST: z.string().min(1).optional(),
    QUIRE_DATA: z.string().min(1).default('./data'),
    QUIRE_BASE_URL: baseUrl.optional(),
    QUIRE_PAGES_HOST: host.optional(),
    QUIRE_FUNCTIONS_HOST: host.optional(),
    QUIRE_ISOLATION: z.enum(['auto', 'origin', 'sandbox', 'trusted']).default('auto'),
    QUIRE_REGISTRATION: z.enum(['open', 'closed']).default('open'),
    QUIRE_TRUSTED_PROXIES: blocks,
    QUIRE_EGRESS_ALLOW: blocks,
    QUIRE_SANDBOX: z.enum(['auto', 'require', 'off']).default('auto'),
    QUIRE_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    QUIRE_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
    QUIRE_QUOTA_PAGES: count(1000),
    QUIRE_QUOTA_FUNCTIONS: count(100),
    QUIRE_QUOTA_BYTES: count(1024 ** 3),
    QUIRE_LOGIN_FAILURES_PER_USERNAME: count(10),
    QUIRE_LOGIN_FAILURES_PER_ADDRESS: count(100),
    QUIRE_REGISTRATIONS_PER_HOUR: count(20),
    QUIRE_FUNCTION_CALLS_PER_MINUTE: count(60),
    QUIRE_CELLS: wholeNumber.min(1, 'must be at least 1').default(64),
    QUIRE_CELL_CPU_SECONDS: wholeNumber.min(1, 'must be at least 1').default(10),
    QUIRE_CREDITS_NEW_USER: wholeNumber.optional(),
    QUIRE_AI_PROVIDER: z.enum(['openai-compatible', 'anthropic', 'demo']).default('demo'),
    QUIRE_AI_URL: httpUrl.optional(),
    QUIRE_AI_KEY: z.string().optional(),
    QUIRE_AI_MODEL: z.string().optional(),
    QUIRE_VISION_MODEL: z.string().optional(),
    QUIRE_IMAGE_URL: httpUrl.optional(),
    QUIRE_IMAGE_KEY: z.string().optional(),
    QUIRE_IMAGE_MODEL: z.string().optional(),
    QUIRE_IMAGE_SEARCH: z.enum(['openverse', 'commons', 'demo']).default('openverse'),
    QUIRE_IMAGE_SEARCH_URL: httpUrl.optional(),
    DATABASE_URL: z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must be an address like postgres://user:password@host/database')
      .optional(),
  })
  .superRefine((s, fault) => {
    const needs = (name: keyof typeof s, why: string) => {
      if (s[name] === undefined)
        fault.addIssue({ code: 'custom', path: [name], message: `must be set ${why}` });
    };
    if (s.QUIRE_AI_PROVIDER === 'openai-compatible') {
      needs('QUIRE_AI_URL', 'for the openai-compatible provider');
      needs('QUIRE_AI_MODEL', 'for the openai-compatible provider');
    }
    if (s.QUIRE_AI_PROVIDER === 'anthropic') {
      needs('QUIRE_AI_KEY', 'for the anthropic provider');
      needs('QUIRE_AI_MODEL', 'for the anthropic provider');
    }
    if (s.QUIRE_IMAGE_URL !== undefined) needs('QUIRE_IMAGE_MODEL', 'when QUIRE_IMAGE_URL is set');
    if (s.QUIRE_ISOLATION === 'origin' && !s.QUIRE_PAGES_HOST && !isLocalhost(baseUrlOf(s))) {
      needs('QUIRE_PAGES_HOST', 'for QUIRE_ISOLATION=origin, unless the base URL is on localhost');
    }
  });

export type Isolation = 'origin' | 'sandbox' | 'trusted';

/** Everything the program can be told from outside. */
export type Config = ReturnType<typeof readConfig>;

/** Thrown with one message that names every wrong setting. */
export class ConfigError extends Error {}

export function readConfig(environment: Record<string, string | undefined>) {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = Settings.safeParse(present);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`These settings need your attention:\n${lines.join('\n')}`);
  }
  const s = parsed.data;
  const base = baseUrlOf(s);
  const portSuffix = base.port ? `:${base.port}` : '';
  const withPort = (name: string) => (name.includes(':') ? name : name + portSuffix);

  const pagesHost = s.QUIRE_PAGES_HOST ?? (isLocalhost(base) ? 'pages.localhost' : undefined);
  const functionsHost = s.QUIRE_FUNCTIONS_HOST ?? (isLocalhost(base) ? 'functions.localhost' : undefined);
  const isolation: Isolation =
    s.QUIRE_ISOLATION !== 'auto' ? s.QUIRE_ISOLATION : pagesHost ? 'origin' : 'sandbox';

  return {
    port: s.PORT,
    /** The address to bind; all of them unless said otherwise. */
    hostname: s.QUIRE_HOST,
    dataFolder: resolve(s.QUIRE_DATA),
    baseUrl: base.origin,
    isolation,
    /** Pages live at `p<id>.<pagesHost>` in origin isolation. */
    pagesHost: isolation === 'origin' && pagesHost ? withPort(pagesHost) : undefined,
    /** Functions answer by themselves at `f<id>.<functionsHost>`, where there is such a host. */
    functionsHost: functionsHost && withPort(functionsHost),
    registration: s.QUIRE_REGISTRATION,
    trustedProxies: s.QUIRE_TRUSTED_PROXIES,
    sandbox: s.QUIRE_SANDBOX,
    egressAllow: s.QUIRE_EGRESS_ALLOW,
    callsPerMinute: s.QUIRE_FUNCTION_CALLS_PER_MINUTE,
    maxCells: s.QUIRE_CELLS,
    cellLimits: { cpuMs: s.QUIRE_CELL_CPU_SECONDS * 1000, heapMegabytes: 128, rssBytes: 400 * 1024 * 1024 },
    logLevel: s.QUIRE_LOG_LEVEL,
    secret: s.QUIRE_SECRET,
    databaseUrl: s.DATABASE_URL,
    quotas: { pages: s.QUIRE_QUOTA_PAGES, functions: s.QUIRE_QUOTA_FUNCTIONS, bytes: s.QUIRE_QUOTA_BYTES },
    attempts: {
      loginFailuresPerUsername: s.QUIRE_LOGIN_FAILURES_PER_USERNAME,
      loginFailuresPerAddress: s.QUIRE_LOGIN_FAILURES_PER_ADDRESS,
      registrationsPerHour: s.QUIRE_REGISTRATIONS_PER_HOUR,
    },
    /** Credits a new account starts with: a taste of the demo, nothing that would cost the operator money. */
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

function baseUrlOf(s: { PORT: number; QUIRE_BASE_URL?: string | undefined }): URL {
  return new URL(s.QUIRE_BASE_URL ?? `http://localhost:${s.PORT}`);
}

function isLocalhost(url: URL): boolean {
  return isIP(url.hostname) === 0 && (url.hostname === 'localhost' || url.hostname.endsWith('.localhost'));
}
