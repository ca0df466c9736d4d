import { isIP } from 'node:net';
import { z } from 'zod';
import { REGISTRATION_MODES } from '../../../contract/accounts/registration-modes.ts';
import { BACKUP_SETTINGS } from './backup-settings.ts';
import { FEATURE_SETTINGS } from './feature-settings.ts';
import { FUNCTION_SETTINGS } from './function-settings.ts';
import { MACHINE_SETTINGS, REPLICA_SETTINGS } from './machine-settings.ts';
import { PEOPLE_SETTINGS } from './people-settings.ts';
import {
  about,
  atLeastOne,
  auditTarget,
  baseUrl,
  blocksOr,
  contact,
  count,
  dnsServers,
  host,
  port,
  wholeNumber,
  word,
} from './setting-kinds.ts';
import { TRACE_SETTINGS } from './trace-settings.ts';

/** All settings, with their schemas, defaults and descriptions. */

const blocks = blocksOr('');
const LOOPBACK = '127.0.0.0/8, ::1/128';

/** `npm run settings` writes `docs/settings.md` from this. */
const SECTIONS = {
  'The service': {
    PORT: about(port.default(3000), 'Port to listen on'),
    QUIRE_HOST: about(
      word.optional(),
      'Address to listen on, for example `127.0.0.1` behind a proxy',
      'all addresses',
    ),
    QUIRE_DATA: about(word.default('./data'), 'Data folder. Created if it does not exist'),
    QUIRE_BASE_URL: about(
      baseUrl.optional(),
      'URL of the service in browsers. Required unless that is localhost',
      '`http://localhost:<PORT>`',
    ),
    QUIRE_REGISTRATION: about(
      z.enum(REGISTRATION_MODES).default('open'),
      'Who can create an account, until an administrator changes it: everyone with `open`, people with an invite with `invite`, only the operator with `closed`',
    ),
    QUIRE_SECURITY_CONTACT: about(
      contact.optional(),
      'Where to report vulnerabilities of this server: a URL or an e-mail address, shown in `/.well-known/security.txt`',
      'none, and no such file',
    ),
    QUIRE_TRUSTED_PROXIES: about(
      blocks,
      'Address blocks of proxies whose `X-Forwarded-For` is trusted, separated by commas',
      'none',
    ),
    QUIRE_METRICS_ALLOW: about(
      blocksOr(LOOPBACK),
      'Address blocks that can read `/metrics` without a token, separated by commas',
      `\`${LOOPBACK}\``,
    ),
    QUIRE_SOCKETS: about(
      atLeastOne.default(20_000),
      'WebSockets that can be open at the same time, and as many event streams; from one address, a twentieth of the WebSockets and a quarter of the streams',
    ),
    QUIRE_AUDIT_LOG: about(
      auditTarget.optional(),
      'Where every entry of the [audit log](administration.md#audit-log) is also written, as JSON: `file:///var/log/quire/audit.jsonl`, `syslog://host:514` over TCP, or `syslog+tls://host:6514`',
      'none',
    ),
    QUIRE_LOG_LEVEL: about(
      z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
      'Least severe level to log: `debug` (every request too), `info`, `warn`, `error` or `silent`',
    ),
    QUIRE_SECRET: about(
      z.string().min(32, 'must have at least 32 characters').optional(),
      "Key that signs page sessions and encrypts functions' secrets and providers' keys, at least 32 characters",
      'generated once, stored in the data folder',
    ),
    QUIRE_SECRET_OLD: about(
      z.string().min(32, 'must have at least 32 characters').optional(),
      'The key that QUIRE_SECRET [replaces](operating.md#a-leaked-key), until `quire secrets rotate` is done',
      'none',
    ),
    DATABASE_URL: about(
      z
        .string()
        .regex(/^postgres(ql)?:\/\//, 'must be a URL such as postgres://user:password@host/database')
        .optional(),
      'PostgreSQL server: `postgres://user:password@host/database`',
      'none: SQLite in the data folder',
    ),
  },
  Replica: REPLICA_SETTINGS,
  Pages: {
    QUIRE_PAGES_HOST: about(
      host.optional(),
      'Pages get the hosts `p<id>.<this>`',
      '`pages.localhost` on localhost, otherwise none',
    ),
    QUIRE_ISOLATION: about(
      z.enum(['auto', 'origin', 'sandbox', 'trusted']).default('auto'),
      '`origin`, `sandbox` or `trusted`; `auto` is `origin` if there is a pages host, otherwise `sandbox`. See [Security](security.md#isolation)',
    ),
    QUIRE_DNS_SERVERS: about(
      dnsServers,
      'IP addresses of the DNS servers that are asked for the records of [domains](domains.md), separated by commas; each can have a port',
      "the system's",
    ),
    QUIRE_CHROMIUM: about(
      word.optional(),
      'Program of the browser that [checks pages](pages.md#check-a-page): Chromium or its headless shell. `off` turns checks off',
      "where the system's packages install it",
    ),
    QUIRE_PAGE_PICTURES: about(
      z.enum(['on', 'off']).default('on'),
      'Whether the server takes [pictures of pages](pages.md#pictures) that everyone can see, if it has a browser: `on` or `off`',
    ),
    QUIRE_ANONYMOUS_PAGES: about(
      z.enum(['on', 'off']).default('off'),
      'Whether people without an account can [publish a page](pages.md#publish-without-an-account) for 24 hours: `on` or `off`',
    ),
  },
  Functions: FUNCTION_SETTINGS,
  'Mail and single sign-on': PEOPLE_SETTINGS,
  Backups: BACKUP_SETTINGS,
  'Quotas and limits': {
    QUIRE_QUOTA_PAGES: about(count(1000), 'Pages per user; 0 means no limit'),
    QUIRE_QUOTA_FUNCTIONS: about(count(100), 'Functions per user; 0 means no limit'),
    QUIRE_QUOTA_BYTES: about(
      count(1024 ** 3),
      'Bytes per user: HTML of all versions, messages, schemas, agent specs, records, form messages, files and images of pages, and code of all versions, secrets and databases of functions; 0 means no limit',
    ),
    QUIRE_HISTORY_DAYS: about(
      wholeNumber.max(3650, 'must be at most 3650').default(30),
      'Days for which earlier states of pages, functions, databases and records are kept; 0 turns history off. It takes up to a quarter of the bytes per user, on top of them',
    ),
    QUIRE_LOGIN_FAILURES_PER_USERNAME: about(
      count(10),
      'Wrong passwords in 15 minutes, per username or e-mail address that is typed; 0 means no limit',
    ),
    QUIRE_LOGIN_FAILURES_PER_ADDRESS: about(
      count(100),
      'Wrong passwords in 15 minutes, per IP address; 0 means no limit',
    ),
    QUIRE_REGISTRATIONS_PER_HOUR: about(count(20), 'Attempts to register, per IP address; 0 means no limit'),
    QUIRE_FORMS_PER_MINUTE: about(count(10), 'Forms sent to pages, per IP address; 0 means no limit'),
    QUIRE_FORMS_PER_DAY: about(count(1000), 'Messages that a page gets from its forms; 0 means no limit'),
  },
  'Many machines': MACHINE_SETTINGS,
  'Visitor features': FEATURE_SETTINGS,
  Traces: TRACE_SETTINGS,
} as const;

/** All settings, and the rules between them. */
export const Settings = z
  .object({
    ...SECTIONS['The service'],
    ...SECTIONS.Replica,
    ...SECTIONS.Pages,
    ...SECTIONS.Functions,
    ...SECTIONS['Mail and single sign-on'],
    ...SECTIONS.Backups,
    ...SECTIONS['Quotas and limits'],
    ...SECTIONS['Many machines'],
    ...SECTIONS['Visitor features'],
    ...SECTIONS.Traces,
  })
  .superRefine((s, fault) => {
    const refuse = (name: keyof typeof s, message: string) =>
      fault.addIssue({ code: 'custom', path: [name], message });
    const needs = (name: keyof typeof s, why: string) => {
      if (s[name] === undefined) refuse(name, `must be set ${why}`);
    };
    if (s.S3_BUCKET !== undefined) {
      needs('S3_ACCESS_KEY_ID', 'when S3_BUCKET is set');
      needs('S3_SECRET_ACCESS_KEY', 'when S3_BUCKET is set');
    }
    if (s.QUIRE_REPLICA?.kind === 'bucket') {
      needs('S3_ACCESS_KEY_ID', 'when QUIRE_REPLICA is in a bucket');
      needs('S3_SECRET_ACCESS_KEY', 'when QUIRE_REPLICA is in a bucket');
    }
    if (s.QUIRE_REPLICA !== undefined && s.DATABASE_URL !== undefined)
      refuse(
        'QUIRE_REPLICA',
        'cannot be set with DATABASE_URL: PostgreSQL has tools of its own, see docs/recovery.md',
      );
    if (s.QUIRE_SECRET_OLD !== undefined) {
      needs('QUIRE_SECRET', 'when QUIRE_SECRET_OLD is set');
      if (s.QUIRE_SECRET_OLD === s.QUIRE_SECRET) refuse('QUIRE_SECRET_OLD', 'must differ from QUIRE_SECRET');
    }
    if (s.QUIRE_CLUSTER_ADDRESS !== undefined) {
      for (const name of ['DATABASE_URL', 'REDIS_URL', 'S3_BUCKET', 'QUIRE_SECRET'] as const)
        needs(name, 'when QUIRE_CLUSTER_ADDRESS is set: all nodes share it');
      const isEncrypted = s.QUIRE_CLUSTER_TLS === 'on';
      // With TLS, hosts use the ports after that of the node, on a loopback address.
      const ports = s.QUIRE_CLUSTER_SHARDS + (isEncrypted ? 1 : 0);
      const last = Number(s.QUIRE_CLUSTER_ADDRESS.split(':').at(-1)) + ports - 1;
      if (last > 65_535)
        refuse(
          'QUIRE_CLUSTER_ADDRESS',
          `must leave ports for all shards: the last port would be ${last}, but the highest is 65535`,
        );
      if (isEncrypted && /^(0\.0\.0\.0|\[[0:]+\]):/.test(s.QUIRE_CLUSTER_ADDRESS))
        refuse('QUIRE_CLUSTER_ADDRESS', 'must be an address at which the other nodes reach this one');
      if (s.QUIRE_BACKUP_FOLDER !== undefined)
        refuse('QUIRE_BACKUP_FOLDER', 'must not be set in a cluster, whose backups are in the bucket');
    } else if (s.QUIRE_CLUSTER_TLS === 'on') needs('QUIRE_CLUSTER_ADDRESS', 'when QUIRE_CLUSTER_TLS is on');
    if (s.QUIRE_OIDC_ISSUER !== undefined) {
      needs('QUIRE_OIDC_CLIENT_ID', 'when QUIRE_OIDC_ISSUER is set');
      needs('QUIRE_OIDC_CLIENT_SECRET', 'when QUIRE_OIDC_ISSUER is set');
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
    if (s.QUIRE_ISOLATION === 'origin' && !s.QUIRE_PAGES_HOST && !isLocalhost(readBaseUrl(s))) {
      needs('QUIRE_PAGES_HOST', 'for QUIRE_ISOLATION=origin, unless the base URL is on localhost');
    }
  });

export type Settings = z.infer<typeof Settings>;

/** The documentation of a setting; `fallback` is Markdown. */
interface SettingText {
  name: string;
  meaning: string;
  fallback: string;
}

export const SETTING_NAMES = Object.keys(Settings.shape);

/** The documentation of all settings, by section, in reading order. */
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

export function readBaseUrl(s: { PORT: number; QUIRE_BASE_URL?: string | undefined }): URL {
  return new URL(s.QUIRE_BASE_URL ?? `http://localhost:${s.PORT}`);
}

export function isLocalhost(url: URL): boolean {
  return isIP(url.hostname) === 0 && (url.hostname === 'localhost' || url.hostname.endsWith('.localhost'));
}
