import { type CodePlace, withPlace } from '../../../../contract/errors.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import { CompileError, MAIN } from '../../../runtime/bundler/index.ts';
import {
  BackoffError,
  type Cell,
  type CellProgram,
  LoadError,
  OwnerShareError,
  type PoolEntry,
  PoolFullError,
} from '../../../runtime/cells/index.ts';
import { StartError } from '../../../runtime/workerd/index.ts';
import { parseFiles } from '../model/files.ts';
import { readDatabaseNames, WorkerSettingsError } from '../model/worker-settings.ts';
import type { VersionContent } from './add-version.ts';
import type { DeployContext } from './context.ts';
import { type Loaded, loadSource, loadVersion } from './load.ts';

/** The input of a cell in addition to the code. */
type Surroundings = Omit<CellProgram, 'code'>;

/** The cell of the code that serves now, to learn what its module exports. */
export async function loadCurrent(
  { cells, deployTurns }: DeployContext,
  { userId }: Actor,
  entry: PoolEntry,
): Promise<Cell> {
  try {
    return await deployTurns.run(userId, async () => cells.pool.acquire(entry));
  } catch (error) {
    throw toAppError(error);
  }
}

/**
 * Loads a source in a separate cell, and compiles it first if that is necessary. The cell's output is logged once the
 * function is known.
 */
export async function prove(
  { bundler, cells, logs, deployTurns }: DeployContext,
  { userId }: Pick<Actor, 'userId'>,
  source: Pick<VersionContent, 'code' | 'files'> | VersionContent,
  surroundings: () => Promise<Surroundings>,
  running: () => { id: number; version?: number } | undefined,
): Promise<Loaded> {
  const onLine = (line: string) => {
    const known = running();
    if (known) logs.line(known.id, line, known.version);
  };
  try {
    const databaseNames = readDatabaseNames(parseFiles(source.files));
    const start = (code: string) =>
      cells.pool.prove(userId, async () => ({ ...(await surroundings()), databaseNames, code }), onLine);
    const loading = { bundler, start, owner: userId };
    return await deployTurns.run(userId, () =>
      'bundle' in source ? loadVersion(loading, source) : loadSource(loading, source),
    );
  } catch (error) {
    throw toAppError(error);
  }
}

function toAppError(error: unknown): unknown {
  if (error instanceof BackoffError) return keepsCrashing(error.seconds);
  if (error instanceof PoolFullError) return noRoom();
  if (error instanceof OwnerShareError) return shareUsedUp(error.share);
  if (error instanceof StartError) return notStarted(error);
  if (error instanceof CompileError)
    return error.isOurs ? noRegistry(error) : deployFailed(error.message, error.location);
  if (error instanceof WorkerSettingsError)
    return deployFailed(error.message, { file: error.file, line: 1, column: 1 });
  if (!(error instanceof LoadError)) return error;
  return deployFailed(error.message, { file: MAIN, line: error.line ?? 1, column: error.column ?? 1 });
}

function deployFailed(message: string, found: { file: string; line: number; column: number }): AppError {
  const { file, ...at } = found;
  const location: CodePlace = { ...at, ...(file !== MAIN && { file }) };
  return new AppError(
    'DEPLOY_FAILED',
    '{message}',
    { message: withPlace(message, location) },
    { body: location },
  );
}

function noRegistry({ message }: CompileError): AppError {
  return new AppError(
    'UNAVAILABLE',
    '{message} Try again in a moment.',
    { message },
    {
      headers: { 'retry-after': '5' },
    },
  );
}

function keepsCrashing(seconds: number): AppError {
  return new AppError(
    'UNAVAILABLE',
    'The function keeps crashing and is suspended for a moment. Check its log.',
    {},
    { headers: { 'retry-after': String(seconds) } },
  );
}

function noRoom(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'All processes for functions are busy. Try again in a moment.',
    {},
    {
      headers: { 'retry-after': '1' },
    },
  );
}

function notStarted(cause: StartError): AppError {
  return new AppError(
    'UNAVAILABLE',
    "The function's process did not start. Try again in a moment.",
    {},
    {
      headers: { 'retry-after': '1' },
      cause,
    },
  );
}

function shareUsedUp(share: number): AppError {
  return new AppError(
    'UNAVAILABLE',
    'You have {share} functions running at once, which is the limit for one owner. Deploy again when one of them has finished its calls.',
    { share },
    { headers: { 'retry-after': '5' } },
  );
}
