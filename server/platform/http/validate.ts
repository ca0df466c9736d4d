import type { z } from 'zod';
import { faultText } from '../../../contract/error-body.ts';
import { type Fault, fault, MAX_FAULTS, toFault } from '../../../contract/errors.ts';
import { toRule } from '../../../contract/rules/texts/rule.ts';
import { badRequest } from '../../lib/errors.ts';

/** Parses an outside value with its schema, or throws an error that lists every fault. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value, { error: faultText });
  if (parsed.success) return parsed.data;
  throw badRequest(parsed.error.issues.slice(0, MAX_FAULTS).flatMap(toFaults));
}

function toFaults(issue: z.core.$ZodIssue): Fault[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_FAULTS)
      .map((key) => fault([...path, key].join('.'), 'is not a known field'));
  }
  return [toFault(path.join('.'), toRule(issue.message))];
}
