import { z } from 'zod';
import { done } from '../../../../contract/fields.ts';
import { MAX_SQL_BYTES } from '../../../../contract/functions/functions.ts';
import { IMPORT_BODY_LIMIT } from '../../../../contract/rules/limits.ts';
import { DATABASE_ERROR_CODES, withoutCode } from '../../../../workers/protocol.ts';
import { AppError } from '../../../lib/errors.ts';
import { createKeyedQueue } from '../../../lib/queues.ts';
import { jsonText, readBody } from '../../../platform/http/index.ts';
import {
  type Databases,
  DatabaseUnavailableError,
  ExportsBusyError,
  UnreadableDatabaseError,
} from '../../../runtime/databases/index.ts';
import type { FunctionRow } from '../model/store.ts';

/** The SQL endpoint. It uses the same host as `env.DB`, so that console and code always agree. */

const HostFailure = z.object({
  success: z.literal(false),
  error: z.string(),
  code: z.enum(DATABASE_ERROR_CODES).optional(),
});
const HostAnswer = z.union([
  z.object({
    success: z.literal(true),
    results: z.object({ columns: z.array(z.string()), rows: z.array(z.custom<unknown[]>(Array.isArray)) }),
    meta: z.object({
      changes: z.number(),
      duration: z.number(),
      last_row_id: z.number(),
      rows_read: z.number(),
      rows_written: z.number(),
    }),
  }),
  HostFailure,
]);

/** Runs one statement. */
export async function runSql(
  databases: Databases,
  row: FunctionRow,
  query: { sql: string; params?: unknown[] | undefined },
) {
  if (Buffer.byteLength(query.sql) > MAX_SQL_BYTES) {
    throw new AppError(
      'PAYLOAD_TOO_LARGE',
      'The statement is longer than {count} bytes. Split it, or send long values as params.',
      { count: MAX_SQL_BYTES },
    );
  }
  const response = await reach(databases, requireDatabase(row), '/query', JSON.stringify(query));
  const read = async () => {
    const { results, meta } = await readAnswer(response);
    return jsonText(
      `{"success":true,"results":[${await toObjects(results)}],"meta":${JSON.stringify(meta)}}`,
    );
  };
  const length = response.headers.get('content-length');
  return length !== null && Number(length) <= LARGE_RESULT_BYTES
    ? read()
    : readInTurn(`${row.owner_id}`, async () => {
        const text = await read();
        // The next result may have arrived already. Other requests get their turn before it.
        await new Promise(setImmediate);
        return text;
      });
}

const LARGE_RESULT_BYTES = 1024 * 1024;

/** Large results of one owner are read one at a time. Until then they stay in the host. */
const readInTurn = createKeyedQueue();

/** How many values are written before other requests get a turn: a result can have two million. */
const VALUES_AT_ONCE = 10_000;

/** The rows as JSON, each with the names of its columns. */
async function toObjects({ columns, rows }: { columns: string[]; rows: unknown[][] }): Promise<string> {
  const toObject = (values: unknown[]) => Object.fromEntries(columns.map((column, i) => [column, values[i]]));
  const rowsAtOnce = Math.ceil(VALUES_AT_ONCE / Math.max(1, columns.length));
  const parts: string[] = [];
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    if (from > 0) await new Promise(setImmediate);
    const part = rows.slice(from, from + rowsAtOnce).map(toObject);
    parts.push(JSON.stringify(part).slice(1, -1));
  }
  return parts.join(',');
}

/** The whole database as SQL text. */
export async function exportSql(databases: Databases, row: FunctionRow): Promise<Response> {
  const { ownerId, databaseId } = requireDatabase(row);
  const script = await databases.export(ownerId, databaseId).catch((error: unknown) => {
    throw toExportError(error);
  });
  return new Response(script, {
    headers: {
      'content-type': 'application/sql; charset=utf-8',
      'content-disposition': `attachment; filename="${row.slug}.sql"`,
      'x-content-type-options': 'nosniff',
    },
  });
}

const SCRIPT_TYPES = ['application/sql', 'application/x-sql', 'text/plain'];

/** Reads the script in the body of a request. */
export async function readScript(request: Request, sender: string): Promise<string> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!SCRIPT_TYPES.includes(type)) {
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the script itself as the body, with the Content-Type header application/sql.',
    );
  }
  const bytes = await readBody(request, IMPORT_BODY_LIMIT, sender);
  // SQLite would treat a NUL as the end of the script.
  if (bytes.includes(0))
    throw new AppError('BAD_REQUEST', 'The script has a NUL character in it. Remove it.');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AppError('BAD_REQUEST', 'The script is not valid UTF-8. Encode it as UTF-8.');
  }
}

/** Runs a script of statements in one transaction: all of it, or nothing. */
export async function importSql(databases: Databases, row: FunctionRow, script: string) {
  const { meta } = await ask(databases, row, '/import', JSON.stringify({ sql: script }));
  const { changes } = meta;
  const message = `The script ran: ${changes.toLocaleString('en')} rows changed.`;
  return { ...done(message), changes };
}

async function ask(databases: Databases, row: FunctionRow, path: string, body: string) {
  return readAnswer(await reach(databases, requireDatabase(row), path, body));
}

/** The rows of a statement of our own, whose result is small. */
export async function queryRows(databases: Databases, row: FunctionRow, sql: string): Promise<unknown[][]> {
  const { results } = await ask(databases, row, '/query', JSON.stringify({ sql }));
  return results.rows;
}

async function readAnswer(response: Response) {
  const answer = HostAnswer.parse(await readHostJson(response));
  if (answer.success) return answer;
  throw describeFailure(answer);
}

/** The JSON that a host responds with. */
export function readHostJson(response: Response): Promise<unknown> {
  return response.json().catch((cause: unknown) => {
    throw new AppError(
      'OUTCOME_UNKNOWN',
      'The result did not arrive. The statement may or may not have done its work.',
      {},
      { cause },
    );
  });
}

/** The error for a host that did not do what it was asked. */
export const toHostError = (sent: unknown) => describeFailure(HostFailure.parse(sent));

function describeFailure(failure: z.infer<typeof HostFailure>): AppError {
  const { error, code = 'INVALID_SQL' } = failure;
  const message = withoutCode(error);
  if (code === 'UNAVAILABLE' || code === 'COOLDOWN') return unavailable(message);
  return new AppError(code, '{message}', { message: message.replace(/: SQLITE_[A-Z_]+$/, '') });
}

const WAIT_MS = 35_000;

/** Sends a request to the host of a database. */
export async function reach(
  databases: Databases,
  { ownerId, databaseId }: { ownerId: number; databaseId: number },
  path: string,
  body: string,
): Promise<Response> {
  const { release } = await databases.open(ownerId, databaseId);
  try {
    const signal = AbortSignal.timeout(WAIT_MS);
    return await databases.fetch(ownerId, databaseId, path, { method: 'POST', body, signal });
  } catch (error) {
    throw toAppError(error);
  } finally {
    release();
  }
}

/** The error for a database that does not respond. */
function toAppError(error: unknown): unknown {
  if (!(error instanceof DatabaseUnavailableError)) return error;
  const { code } = error;
  const { retryAfterSeconds } = error.options;
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return new AppError(code, error.text.text, error.text.values, { headers, cause: error });
}

function unavailable(message: string): AppError {
  return new AppError('UNAVAILABLE', '{message}', { message }, { headers: { 'retry-after': '5' } });
}

/** The error for an export that did not begin. */
function toExportError(error: unknown): unknown {
  const headers = { 'retry-after': '5' };
  if (error instanceof ExportsBusyError)
    return new AppError(
      'UNAVAILABLE',
      'Another export is in progress. Read it to its end, or try again in a moment.',
      {},
      { headers },
    );
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof UnreadableDatabaseError || code === 'ENOSPC') return error;
  const known = toAppError(error);
  if (known instanceof AppError) return known;
  // On a busy machine, the processes that copy the database and write it as SQL may not start in time.
  return new AppError(
    'UNAVAILABLE',
    'The database could not be copied for the export. Nothing was changed. Try again in a moment.',
    {},
    { headers, cause: error },
  );
}

/** The function's database. Fails for a function without one. */
export function requireDatabase(row: FunctionRow): { ownerId: number; databaseId: number } {
  if (row.database_id !== null && row.owner_id !== null)
    return { ownerId: row.owner_id, databaseId: row.database_id };
  throw new AppError(
    'BAD_REQUEST',
    'This function has no database. Deploy it with enableDatabase or useDatabase.',
  );
}
