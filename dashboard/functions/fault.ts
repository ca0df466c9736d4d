import { ApiError } from '../api.ts';
import type { Fault } from '../editor/index.tsx';

/** Where in the code a refused deploy went wrong, if it did there; the service says it in numbers beside its words. */
export function faultOf(error: unknown): Fault | undefined {
  if (!(error instanceof ApiError) || error.code !== 'DEPLOY_FAILED') return undefined;
  const { line, column } = error.body;
  if (typeof line !== 'number') return undefined;
  return {
    line,
    ...(typeof column === 'number' && { column }),
    message: error.message.replace(/ \(line \d+, column \d+\)$/, ''),
  };
}

/** What the service says of one field. */
export function fieldFault(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.details.find((detail) => detail.path === path)?.message;
}
