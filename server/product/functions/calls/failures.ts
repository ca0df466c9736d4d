import { OWN_ANSWER_HEADER } from '../../../../contract/functions/functions.ts';
import { retryAfter } from '../../../lib/errors.ts';
import {
  BackoffError,
  type CellAnswer,
  type Cells,
  LoadError,
  OwnerShareError,
  PoolFullError,
} from '../../../runtime/cells/index.ts';
import type { Databases } from '../../../runtime/databases/index.ts';
import { StartError } from '../../../runtime/workerd/index.ts';
import { BlockedError } from '../model/block.ts';
import { outOfMemoryText } from './crash-messages.ts';
import type { LiveFunction } from './registry.ts';

/** The response of a call that fails. */
export interface Failure {
  status: number;
  error: string;
  /** A code, for failures that programs have to distinguish. */
  code?: 'UNAVAILABLE' | 'OUTCOME_UNKNOWN';
  headers?: Record<string, string>;
  /** The text in the function's log, if it is not `error`. */
  logged?: string;
  /** The text in the operator's log, if it is not `error`. */
  cause?: string;
}

/** The headers of each of our own responses to a call. */
export const CALL_HEADERS = {
  'access-control-allow-origin': '*',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  [OWN_ANSWER_HEADER]: '1',
};

const DATABASE_UNAVAILABLE: Failure = {
  status: 503,
  error:
    "The function's database is unavailable. The function's last statement did not run. Try again in a moment.",
  code: 'UNAVAILABLE',
  headers: { 'retry-after': '5' },
};
/** Without `Retry-After`, which would make programs retry automatically. */
const OUTCOME_UNKNOWN: Failure = {
  status: 503,
  error:
    "The function's database was lost during the function's last statement, which may or may not have run. Check the data before you try again.",
  code: 'OUTCOME_UNKNOWN',
};
export const UNKNOWN: Failure = { status: 404, error: 'There is no such function.' };

/** Why a call got no cell. Errors that are not about the function are thrown on. */
export function startFailure(error: unknown): Failure {
  if (error instanceof BackoffError) {
    return {
      status: 503,
      error: 'The function keeps crashing and is suspended for a moment. Check its log.',
      headers: { 'retry-after': String(error.seconds) },
    };
  }
  if (error instanceof PoolFullError) {
    return {
      status: 503,
      error: 'All processes for functions are busy. Try again in a moment.',
      headers: { 'retry-after': '1' },
    };
  }
  if (error instanceof OwnerShareError) {
    return {
      status: 503,
      error: `The owner of this function has ${error.share} functions running at once, which is the limit for one owner. Try again when one of them has finished its calls.`,
      headers: { 'retry-after': '5' },
    };
  }
  if (error instanceof StartError) {
    return {
      status: 503,
      error: "The function's process did not start. Try again in a moment.",
      headers: { 'retry-after': '1' },
      cause: error.message,
    };
  }
  if (error instanceof BlockedError) return error.block;
  if (error instanceof LoadError) return { status: 502, error: 'The function could not be loaded.' };
  throw error;
}

/** Why the response of a cell is not passed on, if it is not. */
export function findFailure(
  {
    cells,
    databases,
  }: { cells: Pick<Cells, 'memoryMegabytes'>; databases: Pick<Databases, 'isUnavailable'> },
  result: CellAnswer,
  { ownerId, databaseId }: LiveFunction,
): Failure | undefined {
  if (result.threw) {
    if (result.exception === 'database-unavailable') return DATABASE_UNAVAILABLE;
    const isLost = databaseId !== null && ownerId !== null && databases.isUnavailable(ownerId);
    if (result.exception === 'outcome-unknown' || isLost) return OUTCOME_UNKNOWN;
  }
  if (result.exception === 'out-of-memory')
    return { status: 502, error: outOfMemoryText(cells.memoryMegabytes) };
  if (!result.threw) return undefined;
  return { status: 500, error: 'The function threw an exception', logged: 'threw an exception' };
}

export function fail({ status, error, code, headers }: Failure): Response {
  return Response.json(
    { success: false, error, ...(code && { code }), ...retryAfter(headers ?? {}) },
    { status, headers: { ...headers, ...CALL_HEADERS } },
  );
}
