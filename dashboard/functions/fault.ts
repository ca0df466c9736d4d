import { withoutPlace } from '../../contract/errors.ts';
import { MAIN_MODULE } from '../../contract/rules/function-names.ts';
import { ApiError } from '../api.ts';
import type { Fault } from '../editor/index.tsx';

/** An error at a position in a module. */
export type SourceFault = Fault & { file: string };

/** The position of the error in the code if a deploy failed because of it. */
export function readFault(error: unknown): SourceFault | undefined {
  if (!(error instanceof ApiError) || error.code !== 'DEPLOY_FAILED') return undefined;
  const { line, column } = error.body;
  const file = typeof error.body.file === 'string' ? error.body.file : undefined;
  if (typeof line !== 'number' || typeof column !== 'number') return undefined;
  const message = withoutPlace(error.message, { file, line, column });
  return { file: file ?? MAIN_MODULE, line, column, message };
}

/** The validation error of one field. */
export function fieldFault(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.details.find((detail) => detail.path === path)?.message;
}

/** The validation error of a field of the only item in a list that can be wrong: the one that was just added or changed. */
export function itemFault(error: unknown, list: string, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.details.find(({ path }) => path.startsWith(`${list}.`) && path.endsWith(`.${field}`))?.message;
}

/** Whether someone else deployed first. */
export const isConflict = (error: unknown) => error instanceof ApiError && error.code === 'CONFLICT';
