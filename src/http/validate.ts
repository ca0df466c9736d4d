import type { z } from 'zod';
import { AppError, type Fault } from './errors.ts';

/** Parses an outside value by its schema, or refuses it with every fault named. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value, {
    error: (issue) => (issue.input === undefined ? 'is required' : undefined),
  });
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.flatMap(toFaults);
  const sentence = details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
  throw new AppError('BAD_REQUEST', `${sentence}.`, { details });
}

function toFaults(issue: z.core.$ZodIssue): Fault[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'is not a known field' }));
  }
  return [{ path: path.join('.'), message: issue.message }];
}
