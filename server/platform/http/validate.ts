import type { z } from 'zod';
import { faultText } from '../../../contract/error-body.ts';
import { type Fault, MAX_FAULTS } from '../../../contract/errors.ts';
import { AppError, boundFaults } from '../../lib/errors.ts';

/** Parses an outside value with its schema, or throws an error that lists every fault. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value, { error: faultText });
  if (parsed.success) return parsed.data;
  throw badRequest(parsed.error.issues.slice(0, MAX_FAULTS).flatMap(toFaults));
}

/** The error that lists these faults, each with the path of the invalid value. */
export function badRequest(faults: Fault[]): AppError {
  const details = boundFaults(faults);
  const sentence = details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
  return new AppError('BAD_REQUEST', `${sentence}.`, { details });
}

function toFaults(issue: z.core.$ZodIssue): Fault[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_FAULTS)
      .map((key) => ({ path: [...path, key].join('.'), message: 'is not a known field' }));
  }
  return [{ path: path.join('.'), message: issue.message }];
}
