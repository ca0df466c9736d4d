import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseBlock } from '../../lib/addresses.ts';

/** Schemas for the values of settings, which arrive as text. */

export const blocksOr = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text) => text.split(/[\s,]+/).filter(Boolean))
    .refine((all) => all.every(parseBlock), 'must be address blocks such as 10.0.0.0/8, separated by commas');

/** Addresses of DNS servers: `10.0.0.53`, `10.0.0.53:5353`, `[fd00::53]:5353`. */
export const dnsServers = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine(
    (all) => all.every(isDnsServer),
    'must be IP addresses of DNS servers such as 10.0.0.53 or [fd00::53]:5353, separated by commas',
  );

function isDnsServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, address = '', port = ''] = /^(?:\[(.+)\]|[\d.]+):(\d{1,5})$/.exec(text) ?? [];
  const isAddress = text.startsWith('[') ? isIP(address) === 6 : isIP(text.split(':')[0] ?? '') === 4;
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535;
}

export const wholeNumber = z.coerce
  .number('must be a whole number')
  .int('must be a whole number')
  .min(0, 'must not be negative');

export const host = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i,
    'must be a host name, with :port if it differs from the base URL',
  )
  .transform((name) => name.toLowerCase());

export const httpUrl = z.string().refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), {
  error: 'must be a URL such as https://quire.example.com',
  abort: true,
});

/** A web page or an e-mail address, as a URI. */
export const contact = z
  .string()
  .transform((text) => (/^[^\s@:/]+@[^\s@:/]+$/.test(text) ? `mailto:${text}` : text))
  .refine(
    (text) => /^(https:\/\/|mailto:[^@]+@)[\x21-\x7e]+$/.test(text) && URL.canParse(text),
    'must be a URL such as https://example.com/security, or an e-mail address',
  );

export const baseUrl = httpUrl.refine((text) => {
  const url = URL.parse(text);
  return url !== null && url.pathname === '/' && !url.search && !url.hash && !url.username;
}, 'must not have a path, query or password');

export const port = z.coerce
  .number('must be a port number')
  .int('must be a port number')
  .min(0, 'must be a port number')
  .max(65535, 'must be a port number');
export const count = (fallback: number) => wholeNumber.default(fallback);
export const atLeastOne = wholeNumber.min(1, 'must be at least 1');
export const word = z.string().min(1);

/** Where a replica is: `file:///folder` or `s3://bucket/prefix`. */
export const replicaUrl = z
  .string()
  .transform((text, { addIssue }) => {
    const place = parseReplica(text);
    if (!place) addIssue('must be a URL such as file:///var/replica or s3://bucket/prefix');
    return place;
  })
  .transform((place) => place as NonNullable<typeof place>);

function parseReplica(text: string) {
  const [, folder] = /^file:\/\/(\/.+)$/.exec(text) ?? [];
  if (folder !== undefined && URL.canParse(text))
    return { kind: 'folder' as const, folder: fileURLToPath(text) };
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]+)(?:\/([\w./-]*))?$/.exec(text) ?? [];
  if (bucket === undefined) return undefined;
  return { kind: 'bucket' as const, bucket, prefix: prefix.replace(/^\/+|\/+$/g, '') };
}

/** Where the audit log is written: `file:///path`, `syslog://host:port` or `syslog+tls://host:port`. */
export const auditTarget = z
  .string()
  .transform((text, { addIssue }) => {
    const target = parseAuditTarget(text);
    if (!target) addIssue('must be a URL such as file:///var/log/quire/audit.jsonl or syslog://host:514');
    return target;
  })
  .transform((target) => target as NonNullable<typeof target>);

function parseAuditTarget(text: string) {
  const [, path] = /^file:\/\/(\/.*[^/])$/.exec(text) ?? [];
  if (path !== undefined && URL.canParse(text))
    return { kind: 'file' as const, path: fileURLToPath(text), text };
  const [, tls, host = '', port] =
    /^syslog(\+tls)?:\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (!host || Number(port) > 65_535) return undefined;
  const isTls = tls !== undefined;
  return {
    kind: 'syslog' as const,
    host: host.replace(/^\[|\]$/g, ''),
    port: port === undefined ? (isTls ? 6514 : 514) : Number(port),
    isTls,
    text,
  };
}

/** A registry of npm packages. */
export const npmRegistry = z.union(
  [z.literal('off'), httpUrl],
  'must be off, or a URL such as https://npm.example.com',
);

/** Adds a setting's description, and a text for its default if the schema has none to show. */
export const about = <Schema extends z.ZodType>(schema: Schema, description: string, unset?: string) =>
  schema.meta({ description, ...(unset && { unset }) });
