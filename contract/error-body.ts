import { z } from 'zod';
import { ERROR_STATUS, type ErrorCode, type Fault } from './errors.ts';
import { rule } from './rules/texts/rule.ts';

const Value = z.union([z.string(), z.number()]);
const Text = z.object({ text: z.string(), values: z.record(z.string(), Value).optional() });

/** What clients need to translate a message with values. */
export const MessageKey = z.object({
  text: z.string().optional().meta({
    description: 'The message with names in braces in place of its values, to translate it.',
  }),
  values: z
    .record(z.string(), z.union([Value, Text]))
    .optional()
    .meta({ description: 'With text: the values by their names. A value can be a text with values itself.' }),
});
const Detail = z.object({
  path: z.string(),
  message: z.string(),
  ...MessageKey.shape,
}) satisfies z.ZodType<Fault>;

/** The body of an error, except for visitor features and function calls. */
export const ErrorBody = z.object({
  error: z.string().meta({ description: 'What happened and what to do next, for people.' }),
  code: z.enum(Object.keys(ERROR_STATUS) as ErrorCode[]),
  ...MessageKey.shape,
  details: z.array(Detail).optional().meta({ description: 'The problems of a body, a query or a record.' }),
  scope: z.string().optional().meta({ description: 'With INSUFFICIENT_SCOPE: the missing scope.' }),
  currentVersion: z.int().optional().meta({ description: 'With CONFLICT: the current version of the page.' }),
  currentRevision: z.int().optional().meta({ description: 'With CONFLICT: the revision of the draft.' }),
  storage_mode: z.string().optional().meta({ description: 'With CONFLICT: the storage mode of the page.' }),
  index: z.int().optional().meta({
    description: 'In a batch: the index of the operation that failed, starting with 0.',
  }),
  retryAfter: z.int().optional().meta({
    description: 'In how many seconds to try again, like the header Retry-After.',
  }),
  line: z.int().optional().meta({ description: 'With DEPLOY_FAILED: the line of the code.' }),
  file: z.string().optional().meta({
    description: 'With DEPLOY_FAILED: the path in files, if it is not in the main module.',
  }),
  migrations: z.array(z.string()).optional().meta({
    description: 'The migrations that stay applied although the code of the function was not stored.',
  }),
  link: z.string().optional().meta({
    description:
      'Where a person can continue. With FORBIDDEN: the path of the screen; with PROTECTED: its address.',
  }),
  conflicts: z
    .array(z.looseObject({ path: z.string() }))
    .optional()
    .meta({
      description:
        'With CONFLICT of a merge: what take has to decide, as in the list of changes. At most 50.',
    }),
  conflict_count: z.int().optional().meta({ description: 'With CONFLICT of a merge: how many there are.' }),
  needs_confirm: z.array(z.string()).optional().meta({
    description: 'With CONFLICT of a merge: the paths that it removes, which needs confirm.',
  }),
  problems: z
    .array(z.string())
    .optional()
    .meta({ description: 'With CONFLICT of a merge: why databases cannot be merged.' }),
  rehearsal: z
    .looseObject({ ok: z.boolean() })
    .optional()
    .meta({ description: 'With CONFLICT of a merge: what was found on a copy of the page.' }),
  findings: z
    .array(z.looseObject({ title: z.string() }))
    .optional()
    .meta({ description: 'With CONFLICT of a draft that is published: what an attack on a copy found.' }),
  column: z.int().optional().meta({ description: 'With DEPLOY_FAILED: the column in the line.' }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

const KINDS: Record<string, string> = {
  object: 'must be an object',
  record: 'must be an object',
  array: 'must be a list',
  string: 'must be a string',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
};

/** What is wrong with a value, for schemas that do not say it themselves: people do not know zod's words. */
export function faultText(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return KINDS[issue.expected] ?? 'is not valid';
    case 'invalid_value': {
      const values = issue.values.join(', ');
      return issue.values.length > 1
        ? rule('must be one of {values}', { values })
        : rule('must be {value}', { value: values });
    }
    case 'too_big':
      return tooBig(issue.origin, Number(issue.maximum));
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum));
    default:
      return 'is not valid';
  }
}

function tooBig(origin: string, max: number): string {
  if (origin === 'string') return rule('must have at most {max|{max} character|{max} characters}', { max });
  if (origin === 'array') return rule('must have at most {max|{max} item|{max} items}', { max });
  return rule('must be at most {max}', { max });
}

function tooSmall(origin: string, min: number): string {
  if (origin === 'string') return rule('must have at least {min|{min} character|{min} characters}', { min });
  if (origin === 'array') return rule('must have at least {min|{min} item|{min} items}', { min });
  return rule('must be at least {min}', { min });
}
