import { z } from 'zod';
import { ERROR_STATUS, type ErrorCode, type Fault } from './errors.ts';
import { withCommas } from './rules/text.ts';

const Detail = z.object({ path: z.string(), message: z.string() }) satisfies z.ZodType<Fault>;

/** The body of an error, except for visitor features and function calls. */
export const ErrorBody = z.object({
  error: z.string().meta({ description: 'What happened and what to do next, for people.' }),
  code: z.enum(Object.keys(ERROR_STATUS) as ErrorCode[]),
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
  link: z.string().optional().meta({
    description: 'With FORBIDDEN: the path of the screen on which a person can continue.',
  }),
  column: z.int().optional().meta({ description: 'With DEPLOY_FAILED: the column in the line.' }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

const KINDS: Record<string, string> = {
  object: 'an object',
  record: 'an object',
  array: 'a list',
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

/** What is wrong with a value, for schemas that do not say it themselves: people do not know zod's words. */
export function faultText(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return KINDS[issue.expected] ? `must be ${KINDS[issue.expected]}` : 'is not valid';
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'too_big':
      return boundText(issue.origin, 'at most', Number(issue.maximum));
    case 'too_small':
      return boundText(issue.origin, 'at least', Number(issue.minimum));
    default:
      return 'is not valid';
  }
}

const COUNTED: Record<string, string> = { string: 'character', array: 'item' };

function boundText(origin: string, bound: string, count: number): string {
  const noun = COUNTED[origin];
  if (noun === undefined) return `must be ${bound} ${withCommas(count)}`;
  return `must have ${bound} ${withCommas(count)} ${noun}${count === 1 ? '' : 's'}`;
}
