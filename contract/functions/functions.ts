import { z } from 'zod';
import { MessageKey } from '../error-body.ts';
import { Done, list, note, queryNumber, shortText, TakenDown, text, timestamp } from '../fields.ts';
import { FUNCTION_SLUG, MAX_FUNCTION_SLUG, SECRET_NAME } from '../rules/function-names.ts';
import {
  AI_DAILY_LIMIT,
  MAX_DISPLAY_NAME,
  MAX_FUNCTION_DESCRIPTION,
  MAX_LOG_ENTRIES,
  MAX_SECRET_BYTES,
} from '../rules/limits.ts';
import { rule } from '../rules/texts/rule.ts';
import { FunctionFiles } from './files.ts';
import { NewSchedules, Schedule } from './schedules.ts';
import { NewTriggers, Trigger } from './triggers.ts';

/** The wire shapes of functions, and their limits. */

export const MAX_CODE_BYTES = 1024 * 1024;
export const MAX_SQL_BYTES = 100 * 1024;
/** The most parameters that a SQLite statement takes. */
const MAX_SQL_PARAMS = 32_766;
export const MAX_SECRETS = 100;
export const MAX_SECRETS_BYTES = 1024 * 1024;

/** JSON can take six bytes for one byte of code, and the other fields take some too. */
export const CODE_BODY_LIMIT = 6 * MAX_CODE_BYTES + 64 * 1024;
export const SQL_BODY_LIMIT = 6 * MAX_SQL_BYTES + 1024 * 1024;
export const SECRET_BODY_LIMIT = 6 * MAX_SECRET_BYTES + 1024;

const slug = z.string().meta({ maxLength: MAX_FUNCTION_SLUG, pattern: FUNCTION_SLUG.source });

const code = text().meta({
  description: `An ES module in JavaScript or TypeScript. It can import npm packages: import … from "npm:zod@4". At most ${MAX_CODE_BYTES} bytes`,
});
const displayName = shortText(MAX_DISPLAY_NAME);
const description = shortText(MAX_FUNCTION_DESCRIPTION);
const flag = z.boolean('must be true or false');
const ON = 'The collections of its page whose changes the function gets.';
const AI_LIMIT = rule('must be a whole number from 0 to {max}', { max: AI_DAILY_LIMIT.max });
const aiDailyLimit = z
  .int(AI_LIMIT)
  .min(0, AI_LIMIT)
  .max(AI_DAILY_LIMIT.max, AI_LIMIT)
  .meta({ description: 'Credits of the owner that env.AI can spend in a day (UTC). 0 turns it off.' });

export const CreateFunction = z.strictObject({
  slug,
  code,
  files: FunctionFiles.optional(),
  displayName: displayName.default(''),
  description: description.default(''),
  isPublic: flag.default(true),
  enableDatabase: flag.optional(),
  useDatabase: shortText(200).optional(),
  pageId: z.int('must be a whole number').positive().max(Number.MAX_SAFE_INTEGER).optional().meta({
    description:
      'The page that it belongs to from the start. The only way to give a branch a new function. Needs pages:write too.',
  }),
  schedules: NewSchedules.optional(),
  on: NewTriggers.optional().meta({ description: ON }),
  aiDailyLimit: aiDailyLimit.default(AI_DAILY_LIMIT.usual),
  note: note.optional().meta({ description: 'The note on the first version.' }),
});
export type CreateFunction = z.infer<typeof CreateFunction>;
/** A new function as clients send it: fields with a default may be left out. */
export type NewFunction = z.input<typeof CreateFunction>;

export const PatchFunction = z
  .strictObject({
    code,
    files: FunctionFiles,
    displayName,
    description,
    isPublic: flag,
    schedules: NewSchedules,
    on: NewTriggers.meta({ description: ON }),
    aiDailyLimit,
    baseVersion: z
      .int('must be a whole number')
      .meta({ description: 'The version that the change is based on. If the function has another: 409.' }),
    note: note.meta({ description: 'The note on the version that is current after this change.' }),
  })
  .partial();
export type PatchFunction = z.infer<typeof PatchFunction>;

export const SqlQuery = z.strictObject({
  sql: text(),
  params: list(z.unknown(), {
    max: MAX_SQL_PARAMS,
    tooLong: rule('has more than {max} values', { max: MAX_SQL_PARAMS }),
  }).optional(),
});
export type SqlQuery = z.infer<typeof SqlQuery>;

export const SecretBody = z.strictObject({ value: text() });
export type SecretBody = z.infer<typeof SecretBody>;

export const slugParams = z.object({ slug });
export const secretParams = slugParams.extend({ name: z.string().meta({ pattern: SECRET_NAME.source }) });
const yesOrNo = z.enum(['true', 'false'], { error: 'must be true or false' });
export const ListQuery = z.object({
  mine: yesOrNo.optional(),
  // Clients that send no limit expect all functions.
  limit: queryNumber({ min: 1, max: 500, fallback: 500 }),
  offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
  q: shortText(200).optional(),
  order: z
    .enum(['slug', 'updated'], { error: 'must be slug or updated' })
    .default('slug')
    .meta({ description: 'Only with mine=true. "updated" lists what was changed last first.' }),
});
export type ListQuery = z.infer<typeof ListQuery>;

export const LogQuery = z.object({
  limit: z
    .string()
    .regex(/^([1-9]\d{0,2}|1000)$/, 'must be a whole number from 1 to 1000')
    .transform(Number)
    .default(100)
    .meta({ type: 'integer', minimum: 1, maximum: MAX_LOG_ENTRIES, default: 100 }),
  since: z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 moment' })
    .transform((moment) => Date.parse(moment))
    .optional(),
  follow: yesOrNo.optional(),
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
const takenDown = TakenDown.optional().meta({
  description: 'For the owner only, if an administrator has taken the function down: nobody can call it.',
});
/** The page that a function belongs to. */
const page = z
  .object({ id: z.int(), name: z.string(), slug: z.string() })
  .nullable()
  .optional()
  .meta({ description: 'For the owner only: the page that the function belongs to.' });
/** A function in a list. `isPublic`, `page` and `takenDown` are in lists of one's own functions only. */
export const FunctionSummary = z.object({ ...listItem, isPublic: z.boolean().optional(), page, takenDown });
export type FunctionSummary = z.infer<typeof FunctionSummary>;
export const FunctionList = z.object({
  functions: z.array(FunctionSummary),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});
export type FunctionList = z.infer<typeof FunctionList>;
export const FunctionDetail = z.object({
  ...listItem,
  isPublic: z.boolean(),
  workerUrl: z.string(),
  schedules: z.array(Schedule).optional().meta({ description: 'The schedules, for the owner only.' }),
  on: z.array(Trigger).optional().meta({ description: 'The triggers, for the owner only.' }),
  aiDailyLimit: z.int().optional().meta({ description: 'For the owner only: see the same field there.' }),
  aiUsedToday: z.number().optional().meta({
    description: 'For the owner only: the credits that env.AI has spent or reserved today (UTC).',
  }),
  page,
  takenDown,
});
export type FunctionDetail = z.infer<typeof FunctionDetail>;
/** How many bytes a bundle has, and the packages and files that take up most of it. */
export const BundleSize = z.object({
  size: z.int(),
  largest: z.array(z.object({ name: z.string(), size: z.int() })),
});
export type BundleSize = z.infer<typeof BundleSize>;
/** Something in code that loads, but may fail in a call. */
export const FunctionWarning = z.object({
  code: z.enum(['CODE_GENERATION']),
  message: z.string(),
  ...MessageKey.shape,
  file: z.string().optional().meta({ description: 'The path in files, if it is not in the main module.' }),
  line: z.int().optional(),
  column: z.int().optional(),
});
export type FunctionWarning = z.infer<typeof FunctionWarning>;
export const Patched = FunctionDetail.omit({ owner: true, page: true }).extend({
  version: z.int(),
  bundle: BundleSize.optional().meta({
    description:
      'If the code was compiled: how many bytes the bundle has, and the packages and files that take up most of it.',
  }),
  warnings: z.array(FunctionWarning).optional().meta({
    description: 'What may fail in calls, if new code has such things.',
  }),
  migrations: z.array(z.string()).optional().meta({ description: 'The migrations that it applied.' }),
});
export type Patched = z.infer<typeof Patched>;
export const Deployed = Patched.omit({ updatedAt: true, aiDailyLimit: true, aiUsedToday: true });
export type Deployed = z.infer<typeof Deployed>;
export const Code = z.object({
  code: z.string(),
  files: z.record(z.string(), z.string()).meta({ description: 'Further modules, as they were sent.' }),
  version: z.int(),
  folderSeal: z.string().meta({
    description:
      'What quire writes into .quire.json, so that a folder can prove that it belongs to this function.',
  }),
});
export type Code = z.infer<typeof Code>;
export const DatabaseInfo = z.object({
  usedBy: z.array(z.string()),
  belongsTo: z.string().optional().meta({
    description: 'The function that has the database: the oldest of those that share it.',
  }),
});
export type DatabaseInfo = z.infer<typeof DatabaseInfo>;
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
export type QueryResult = z.infer<typeof QueryResult>;
/** The response to a script: how many rows its statements changed. */
export const Imported = Done.extend({ changes: z.int() });
export type Imported = z.infer<typeof Imported>;
export const SecretList = z.object({ secrets: z.array(z.object({ name: z.string() })) });
export type SecretList = z.infer<typeof SecretList>;

export const LogEntry = z.object({
  id: z.int(),
  timestamp,
  kind: z.enum(['console', 'exception', 'call', 'system']),
  level: z.string(),
  message: z.string(),
  status: z.int().nullable(),
  durationMs: z.int().nullable(),
});
export type LogEntry = z.infer<typeof LogEntry>;
export const LogList = z.object({ logs: z.array(LogEntry) });
export type LogList = z.infer<typeof LogList>;
/** What an owner sees of a call of their own function. */
export const TestedCall = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable().meta({ description: 'The body as text; null if it is not text.' }),
  bodyBase64: z.string().nullable().meta({ description: 'The body, if it is not text.' }),
  bodyTruncated: z.boolean(),
  durationMs: z.int(),
  exception: z
    .object({ message: z.string(), stack: z.string() })
    .nullable()
    .meta({ description: 'What the function threw.' }),
  logs: z
    .array(LogEntry.pick({ timestamp: true, kind: true, level: true, message: true }))
    .meta({ description: 'What the call printed until its response was complete.' }),
  logsTruncated: z.boolean(),
});
export type TestedCall = z.infer<typeof TestedCall>;

/** The header of Quire's own responses to a call. A function cannot send it. */
export const OWN_ANSWER_HEADER = 'x-quire-own-answer';

/** Quire's own response to a call that failed; a function's response can have any shape. */
export const CallFailure = z
  .object({ success: z.literal(false), error: z.string(), retryAfter: z.int().optional() })
  .meta({ id: 'CallFailure' });
