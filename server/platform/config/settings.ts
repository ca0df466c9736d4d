import { isIP } from 'node:net';
import { z } from 'zod';
import {
  atLeastOne,
  baseUrl,
  blocksOr,
  count,
  host,
  httpUrl,
  port,
  wholeNumber,
  word,
} from './setting-kinds.ts';

/** What the program can be told from outside: every setting with its schema, its default and its meaning. */

const blocks = blocksOr('');
const LOOPBACK = '127.0.0.0/8, ::1/128';

/** Says what a setting means, and what holds when it is not set and there is no default to show. */
const about = <Schema extends z.ZodType>(schema: Schema, description: string, unset?: string) =>
  schema.meta({ description, ...(unset && { unset }) });

/** Every setting with its meaning: `docs/settings.md` is made from this. */
const SECTIONS = {
  'The service': {
    PORT: about(port.default(3000), 'Port to listen on'),
    QUIRE_HOST: about(
      word.optional(),
      'Address to listen on, for example `127.0.0.1` behind a proxy',
      'all addresses',
    ),
    QUIRE_DATA: about(word.default('./data'), 'Folder for everything that is kept; created when missing'),
    QUIRE_BASE_URL: about(
      baseUrl.optional(),
      'Where browsers find the service. Set it as soon as that is not localhost',
      '`http://localhost:<PORT>`',
    ),
    QUIRE_REGISTRATION: about(
      z.enum(['open', 'closed']).default('open'),
      '`closed` lets nobody create an account',
    ),
    QUIRE_TRUSTED_PROXIES: about(
      blocks,
      'Address blocks whose `X-Forwarded-For` is believed, separated by commas',
      'none',
    ),
    QUIRE_METRICS_ALLOW: about(
      blocksOr(LOOPBACK),
      'Address blocks that may read `/metrics` without a token, separated by commas',
      `\`${LOOPBACK}\``,
    ),
    QUIRE_LOG_LEVEL: about(
      z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
      '`debug`, `info`, `warn`, `error` or `silent`',
    ),
    QUIRE_SECRET: about(
      z.string().min(32, 'must have at least 32 characters').optional(),
      "Key that signs page sessions and seals functions' secrets, at least 32 characters",
      'made once, kept in the data folder',
    ),
    DATABASE_URL: about(
      z
        .string()
        .regex(/^postgres(ql)?:\/\//, 'must be an address like postgres://user:password@host/database')
        .optional(),
      '`postgres://user:password@host/database`',
      'none: SQLite in the data folder',
    ),
  },
  Pages: {
    QUIRE_PAGES_HOST: about(
      host.optional(),
      'Pages get the hosts `p<id>.<this>`',
      '`pages.localhost` on localhost, else none',
    ),
    QUIRE_ISOLATION: about(
      z.enum(['auto', 'origin', 'sandbox', 'trusted']).default('auto'),
      '`origin`, `sandbox` or `trusted`; `auto` is `origin` where there is a pages host, else `sandbox`. See [security](security.md#isolation)',
    ),
  },
  Functions: {
    QUIRE_FUNCTIONS_HOST: about(
      host.optional(),
      'Functions also answer at `f<id>.<this>`',
      '`functions.localhost` on localhost, else none',
    ),
    QUIRE_FUNCTION_CALLS_PER_MINUTE: about(
      count(60),
      "Calls of functions, by the caller's address; 0 means no limit",
    ),
    QUIRE_SANDBOX: about(
      z.enum(['auto', 'require', 'off']).default('auto'),
      'How functions are boxed in: `auto` takes the best there is, `require` refuses to start without bubblewrap, `off` is for trying things out',
    ),
    QUIRE_EGRESS_ALLOW: about(
      blocks,
      'Private address blocks that functions may reach beside the public internet, separated by commas',
      'none',
    ),
    QUIRE_EGRESS_CONNECTIONS: about(
      atLeastOne.default(4096),
      'Connections that functions can have open to the internet at the same time. Each needs four open files; where the system allows fewer, there are fewer connections',
    ),
    QUIRE_EGRESS_CONNECTIONS_PER_OWNER: about(
      atLeastOne.optional(),
      'How many of these the functions of one owner can have open',
      'a quarter of `QUIRE_EGRESS_CONNECTIONS`, at least one',
    ),
    QUIRE_DATABASE_TEMP_MB: about(
      atLeastOne.default(256),
      'Megabytes of memory that a statement on a function database can use for temporary files, for example to sort. A statement that needs more fails. Enforced where bubblewrap is available',
    ),
    QUIRE_CELLS: about(atLeastOne.default(64), 'Processes for functions that may run at the same time'),
    QUIRE_CELLS_PER_OWNER: about(
      atLeastOne.optional(),
      'How many of these the functions of one owner can use, including deploys',
      'a quarter of `QUIRE_CELLS`, at least one',
    ),
    QUIRE_DEPLOYS_PER_HOUR: about(count(60), 'Deploys of functions per owner; 0 means no limit'),
    QUIRE_FUNCTION_MEMORY_MB: about(
      wholeNumber.min(64, 'must be at least 64').max(2048, 'must be at most 2048').default(256),
      'Megabytes that a function can use, heap and buffers together; 64 to 2048',
    ),
    QUIRE_CELL_CPU_SECONDS: about(
      atLeastOne.default(10),
      'How long a function may block before it is stopped',
    ),
  },
  'Quotas and limits': {
    QUIRE_QUOTA_PAGES: about(count(1000), 'Pages per user; 0 means no limit'),
    QUIRE_QUOTA_FUNCTIONS: about(count(100), 'Functions per user; 0 means no limit'),
    QUIRE_QUOTA_BYTES: about(
      count(1024 ** 3),
      'Bytes per user: HTML of all versions, messages, schemas, agent specs, records, files and pictures of pages, and code, secrets and databases of functions; 0 means no limit',
    ),
    QUIRE_LOGIN_FAILURES_PER_USERNAME: about(count(10), 'Wrong passwords in 15 minutes; 0 means no limit'),
    QUIRE_LOGIN_FAILURES_PER_ADDRESS: about(
      count(100),
      "The same, by the caller's address; 0 means no limit",
    ),
    QUIRE_REGISTRATIONS_PER_HOUR: about(count(20), 'Attempts to register, by address; 0 means no limit'),
  },
  'Many machines': {
    REDIS_URL: about(
      z
        .string()
        .regex(/^rediss?:\/\//, 'must be an address like redis://user:password@host:6379')
        .optional(),
      '`redis://user:password@host:6379`: limits, cache drops and live events for all nodes together',
      'none: in memory, for one node',
    ),
    S3_BUCKET: about(
      word.optional(),
      'Bucket for files and pictures, and in a cluster for the databases of functions',
      'none: the data folder',
    ),
    S3_ENDPOINT: about(
      httpUrl.optional(),
      'Where the bucket is, for example `https://s3.example.com`',
      'AWS',
    ),
    S3_REGION: about(word.default('us-east-1'), 'Its region'),
    S3_ACCESS_KEY_ID: about(word.optional(), 'The key to it. Needed with `S3_BUCKET`', 'none'),
    S3_SECRET_ACCESS_KEY: about(word.optional(), 'Its secret. Needed with `S3_BUCKET`', 'none'),
    QUIRE_CLUSTER_ADDRESS: about(
      z
        .string()
        .regex(
          /^([a-z0-9.-]+|\[[0-9a-f:]+\]):\d{1,5}$/i,
          'must be an address with a port, like 10.0.0.1:7000',
        )
        .optional(),
      'Where the other nodes reach the database hosts of this one. Each shard takes a port, upward from this one. See [scaling](scaling.md)',
      'none: databases are on this machine alone',
    ),
    QUIRE_CLUSTER_SHARDS: about(
      atLeastOne.max(256, 'must be at most 256').default(4),
      'Into how many hosts on every node the databases are spread, by owner; the same on every node, for good',
    ),
    QUIRE_DRAIN_SECONDS: about(
      wholeNumber.max(600, 'must be at most 600').optional(),
      'How long a node that is told to stop goes on answering, and says at `/readyz` that it will stop, so that the load balancer sees it',
      '`5` in a cluster, else `0`',
    ),
  },
  'Visitor features': {
    QUIRE_CREDITS_NEW_USER: about(
      wholeNumber.optional(),
      'Credits of a new account',
      '`20` while everything is the demo, else `0`',
    ),
    QUIRE_AI_PROVIDER: about(
      z.enum(['openai-compatible', 'anthropic', 'demo']).default('demo'),
      'Chat and image recognition: `openai-compatible`, `anthropic` or `demo`',
    ),
    QUIRE_AI_URL: about(
      httpUrl.optional(),
      'Address of the API. Needed for `openai-compatible`; `anthropic` has its own',
      'none',
    ),
    QUIRE_AI_KEY: about(z.string().optional(), 'Its key. Needed for `anthropic`', 'none'),
    QUIRE_AI_MODEL: about(
      z.string().optional(),
      'The model that answers. Needed unless it is the demo',
      'none',
    ),
    QUIRE_VISION_MODEL: about(
      z.string().optional(),
      'The model that recognises images',
      'that of `QUIRE_AI_MODEL`',
    ),
    QUIRE_IMAGE_URL: about(
      httpUrl.optional(),
      'An OpenAI-compatible endpoint that makes images',
      'none: the demo',
    ),
    QUIRE_IMAGE_KEY: about(z.string().optional(), 'Its key', 'none'),
    QUIRE_IMAGE_MODEL: about(z.string().optional(), 'Its model. Needed with `QUIRE_IMAGE_URL`', 'none'),
    QUIRE_IMAGE_SEARCH: about(
      z.enum(['openverse', 'commons', 'demo']).default('openverse'),
      '`openverse`, `commons` (Wikimedia Commons) or `demo`; none needs a key',
    ),
    QUIRE_IMAGE_SEARCH_URL: about(
      httpUrl.optional(),
      'Another address of the same API',
      "the provider's own",
    ),
  },
} as const;

/** All of them, and what they need of each other. */
export const Settings = z
  .object({
    ...SECTIONS['The service'],
    ...SECTIONS.Pages,
    ...SECTIONS.Functions,
    ...SECTIONS['Quotas and limits'],
    ...SECTIONS['Many machines'],
    ...SECTIONS['Visitor features'],
  })
  .superRefine((s, fault) => {
    const needs = (name: keyof typeof s, why: string) => {
      if (s[name] === undefined)
        fault.addIssue({ code: 'custom', path: [name], message: `must be set ${why}` });
    };
    if (s.S3_BUCKET !== undefined) {
      needs('S3_ACCESS_KEY_ID', 'when S3_BUCKET is set');
      needs('S3_SECRET_ACCESS_KEY', 'when S3_BUCKET is set');
    }
    if (s.QUIRE_CLUSTER_ADDRESS !== undefined) {
      for (const name of ['DATABASE_URL', 'REDIS_URL', 'S3_BUCKET', 'QUIRE_SECRET'] as const)
        needs(name, 'when QUIRE_CLUSTER_ADDRESS is set: all nodes share it');
      const last = Number(s.QUIRE_CLUSTER_ADDRESS.split(':').at(-1)) + s.QUIRE_CLUSTER_SHARDS - 1;
      if (last > 65_535)
        fault.addIssue({
          code: 'custom',
          path: ['QUIRE_CLUSTER_ADDRESS'],
          message: `must leave ports for all shards: the last would be ${last}, and ports end at 65535`,
        });
    }
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

/** A setting as people read about it; `fallback` is Markdown. */
export interface SettingText {
  name: string;
  meaning: string;
  fallback: string;
}

export const SETTING_NAMES = Object.keys(Settings.shape);

/** All settings, by section, in the order in which they are to be read. */
export function describeSettings(): { title: string; settings: SettingText[] }[] {
  return Object.entries(SECTIONS).map(([title, shape]) => ({
    title,
    settings: Object.entries(shape).map(([name, schema]) => {
      const { description = '', unset } = schema.meta() ?? {};
      const fallback = unset ?? (schema instanceof z.ZodDefault ? `\`${schema.def.defaultValue}\`` : '');
      return { name, meaning: description, fallback: String(fallback) };
    }),
  }));
}

export function baseUrlOf(s: { PORT: number; QUIRE_BASE_URL?: string | undefined }): URL {
  return new URL(s.QUIRE_BASE_URL ?? `http://localhost:${s.PORT}`);
}

export function isLocalhost(url: URL): boolean {
  return isIP(url.hostname) === 0 && (url.hostname === 'localhost' || url.hostname.endsWith('.localhost'));
}
