import { AppError, diskFull } from '../../lib/errors.ts';
import { isUnavailable } from './postgres-messages.ts';

/** Database failures that are not bugs, with the same names for both engines. */
type StorageFailure =
  | 'unique violation'
  | 'missing parent'
  | 'disk full'
  | 'too slow'
  | 'busy'
  | 'unreachable';

const FAILURES: Array<[StorageFailure, RegExp]> = [
  ['unique violation', /^(SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)|23505)$/],
  ['missing parent', /^(SQLITE_CONSTRAINT_FOREIGNKEY|23503)$/],
  ['disk full', /^(SQLITE_FULL|SQLITE_IOERR_WRITE|SQLITE_IOERR_SHMSIZE|SQLITE_CANTOPEN|53100|ENOSPC)$/],
  ['too slow', /^(SQLITE_INTERRUPT|57014)$/],
  ['busy', /^(55P03|40P01)$/],
  ['unreachable', /^(SQLITE_BUSY|57P05|25P03|53300)$/],
];

export function storageFailure(error: unknown): StorageFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = String((error as { code?: unknown }).code ?? '');
  const found = FAILURES.find(([, codes]) => codes.test(code));
  if (found) return found[0];
  return isUnavailable(error) ? 'unreachable' : undefined;
}

/** The error that callers see for a storage failure; undefined if it is not one they should see. */
export function toAppError(error: unknown): AppError | undefined {
  switch (storageFailure(error)) {
    case 'disk full':
      return diskFull();
    case 'too slow':
      return new AppError(
        'UNAVAILABLE',
        'This query has to read too much to finish in time. Trying again does not help: ask for less.',
        {},
        { isLasting: true },
      );
    case 'busy':
      return new AppError(
        'UNAVAILABLE',
        'The database is too busy to do this in time. Nothing was changed. Try again in a moment.',
        {},
        { headers: { 'retry-after': '5' } },
      );
    case 'unreachable':
      return new AppError(
        'UNAVAILABLE',
        'The database does not answer right now. Try again in a moment.',
        {},
        {
          headers: { 'retry-after': '5' },
        },
      );
    case 'missing parent':
      return new AppError('NOT_FOUND', 'The item that this belongs to was just deleted. Load it again.');
    default:
      return undefined;
  }
}

/** Error codes for a wrong password, user or database, and for a server that cannot be reached. */
const NOT_TO_BE_OPENED = /^(28\w{3}|3D000|ECONNREFUSED|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|53300)$/;

/** Why PostgreSQL cannot be used at all, for the operator at startup; undefined for other errors. */
export function notToBeOpened(error: unknown): AppError | undefined {
  const { code, message } = error as { code?: unknown; message?: string };
  if (!NOT_TO_BE_OPENED.test(String(code))) return undefined;
  return new AppError(
    'UNAVAILABLE',
    'PostgreSQL cannot be used: {message}. Check DATABASE_URL, and that PostgreSQL is running.',
    { message: String(message) },
    { cause: error },
  );
}
