import { z } from 'zod';
import { list, queryNumber, shortText, text, timestamp } from '../../../contract/fields.ts';
import { AppError } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { FunctionRow, ListedFunction, LogRow, StatsRow } from './store.ts';

/** The wire shapes of functions, and their limits. */

const MAX_CODE_BYTES = 1024 * 1024;
export const MAX_SQL_BYTES = 100 * 1024;
/** As many as SQLite can name. */
const MAX_SQL_PARAMS = 32_766;
const MAX_SECRET_BYTES = 64 * 1024;
const MAX_SECRETS = 100;
const MAX_SECRETS_BYTES = 1024 * 1024;

/** JSON may spell a byte in six, and the other fields need room too. */
export const CODE_BODY_LIMIT = 6 * MAX_CODE_BYTES + 64 * 1024;
export const SQL_BODY_LIMIT = 6 * MAX_SQL_BYTES + 1024 * 1024;
export const SECRET_BODY_LIMIT = 6 * MAX_SECRET_BYTES + 1024;
export const IMPORT_BODY_LIMIT = 64 * 1024 * 1024;

const SLUG = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

const slug = z.string().meta({ maxLength: 100, pattern: SLUG.source });

const code = text().meta({ description: `A JavaScript ES module, at most ${MAX_CODE_BYTES} bytes` });
const displayName = shortText(200);
const description = shortText(2_000);
const flag = z.boolean('must be true or false');

export const CreateFunction = z.strictObject({
  slug,
  code,
  displayName: displayName.default(''),
  description: description.default(''),
  isPublic: flag.default(true),
  enableDatabase: flag.optional(),
  useDatabase: shortText(200).optional(),
});
export type CreateFunction = z.infer<typeof CreateFunction>;

export const PatchFunction = z.strictObject({ code, displayName, description, isPublic: flag }).partial();
export type PatchFunction = z.infer<typeof PatchFunction>;

export const SqlQuery = z.strictObject({
  sql: text(),
  params: list(z.unknown(), { max: MAX_SQL_PARAMS, noun: 'values' }).optional(),
});

export const SecretBody = z.strictObject({ value: text() });

const slugParam = z.string().meta({ maxLength: 100, pattern: SLUG.source });
export const slugParams = z.object({ slug: slugParam });
const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,99}$/;
export const secretParams = slugParams.extend({ name: z.string().meta({ pattern: SECRET_NAME.source }) });
export const ListQuery = z.object({
  mine: z.enum(['true', 'false'], { error: 'must be true or false' }).optional(),
  // Clients that send no limit expect all functions.
  limit: queryNumber({ min: 1, max: 500, fallback: 500 }),
  offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
  q: shortText(200).optional(),
});

const truthy = z.enum(['true', 'false'], { error: 'must be true or false' });
export const LogQuery = z.object({
  limit: z
    .string()
    .regex(/^([1-9]\d{0,2}|1000)$/, 'must be a whole number from 1 to 1000')
    .transform(Number)
    .default(100)
    .meta({ type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
  since: z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 moment' })
    .transform((moment) => Date.parse(moment))
    .optional(),
  follow: truthy.optional(),
});

const listItem = {
  slug: z.string(),
  displayName: z.string(),
  description: z.string(),
  owner: z.string(),
  hasDatabase: z.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
};
export const FunctionList = z.object({
  functions: z.array(z.object({ ...listItem, isPublic: z.boolean().optional() })),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});
export const FunctionDetail = z.object({ ...listItem, isPublic: z.boolean(), workerUrl: z.string() });
export const Deployed = FunctionDetail.omit({ owner: true, updatedAt: true });
export const Patched = FunctionDetail.omit({ owner: true });
export const Code = z.object({ code: z.string(), version: z.int() });
export const DatabaseInfo = z.object({ usedBy: z.array(z.string()) });
export const QueryResult = z.object({
  success: z.literal(true),
  results: z.array(z.record(z.string(), z.unknown())),
  meta: z.object({
    changes: z.number(),
    duration: z.number(),
    last_row_id: z.number(),
    rows_read: z.number(),
    rows_written: z.number(),
  }),
});
export const SecretList = z.object({ secrets: z.array(z.object({ name: z.string() })) });

export const LogEntry = z.object({
  id: z.int(),
  timestamp,
  kind: z.enum(['console', 'exception', 'call', 'system']),
  level: z.string(),
  message: z.string(),
  status: z.int().nullable(),
  durationMs: z.int().nullable(),
});
export const LogList = z.object({ logs: z.array(LogEntry) });
export const Stats = z.object({
  stats: z.array(
    z.object({ hour: timestamp, calls: z.int(), errors: z.int(), averageMs: z.number(), maxMs: z.int() }),
  ),
});

export function assertSlug(slug: string): void {
  if (SLUG.test(slug) && slug.length <= 100) return;
  const message =
    'must have 1 to 100 characters of a-z, 0-9 and hyphens, and begin and end with a letter or digit';
  throw new AppError('INVALID_SLUG', `slug: ${message}.`, { details: [{ path: 'slug', message }] });
}

export function assertSecretName(name: string): void {
  if (SECRET_NAME.test(name) && name !== 'DB') return;
  const message = 'must have 1 to 100 characters of A-Z, 0-9 and _, begin with a letter, and not be DB';
  throw new AppError('BAD_REQUEST', `name: ${message}.`, { details: [{ path: 'name', message }] });
}

export function assertSecretSize(value: string): void {
  if (Buffer.byteLength(value) <= MAX_SECRET_BYTES) return;
  throw new AppError(
    'PAYLOAD_TOO_LARGE',
    `A secret has at most ${MAX_SECRET_BYTES.toLocaleString('en')} bytes.`,
  );
}

/** Throws when a function's secrets would be too many or too large; existing ones stay. */
export function assertSecretsFit(others: Array<{ size: number }>, size: number): void {
  if (others.length >= MAX_SECRETS) {
    throw new AppError(
      'QUOTA_EXCEEDED',
      `A function can have ${MAX_SECRETS} secrets. Delete one that it no longer needs.`,
    );
  }
  const together = others.reduce((sum, other) => sum + other.size, size);
  if (together > MAX_SECRETS_BYTES) {
    throw new AppError(
      'QUOTA_EXCEEDED',
      'The secrets of a function can have 1 MB in total. Delete one that it no longer needs.',
    );
  }
}

/** Refuses code that is too large; an empty one fails to load, with a better message. */
export function assertCodeSize(code: string): void {
  const size = Buffer.byteLength(code);
  if (size <= MAX_CODE_BYTES) return;
  throw new AppError(
    'PAYLOAD_TOO_LARGE',
    `The code has ${size.toLocaleString('en')} bytes; at most ${MAX_CODE_BYTES.toLocaleString('en')} are allowed.`,
  );
}

export const toListItem = (row: ListedFunction) => ({
  slug: row.slug,
  displayName: row.display_name,
  description: row.description,
  owner: row.owner ?? 'system',
  hasDatabase: row.database_id !== null,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
});

/** Owners also want to know which of theirs are private. */
export const toOwnListItem = (row: ListedFunction) => ({ ...toListItem(row), isPublic: row.is_public === 1 });

export const toDetail = (row: FunctionRow, workerUrl: string) => ({ ...toOwnListItem(row), workerUrl });

export const toPatched = (row: FunctionRow, workerUrl: string) => {
  const { owner: _, ...fields } = toDetail(row, workerUrl);
  return fields;
};

export const toDeployed = (row: FunctionRow, workerUrl: string) => {
  const { updatedAt: _, ...fields } = toPatched(row, workerUrl);
  return fields;
};

export const toLogEntry = (row: LogRow) => ({
  id: row.id,
  timestamp: toTimestamp(row.at),
  kind: row.kind,
  level: row.level,
  message: row.message,
  status: row.status,
  durationMs: row.duration_ms,
});

export const toStats = (row: StatsRow) => ({
  hour: toTimestamp(row.hour),
  calls: row.calls,
  errors: row.errors,
  averageMs: Math.round(row.duration_total_ms / Math.max(1, row.calls)),
  maxMs: row.duration_max_ms,
});
