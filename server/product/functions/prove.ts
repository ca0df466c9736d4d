import { AppError } from '../../lib/errors.ts';
import {
  type Cell,
  type CellProgram,
  LoadError,
  OwnerShareError,
  PoolFullError,
} from '../../platform/cells/index.ts';
import type { Actor } from '../../platform/http/index.ts';
import { StartError } from '../../platform/workerd/index.ts';
import type { DeployContext } from './context.ts';

/** Loads a module in a separate cell. Its output is logged once the function is known. */
export async function prove(
  { cells, logs, deployTurns }: DeployContext,
  { userId }: Actor,
  program: () => Promise<CellProgram>,
  functionId: () => number | undefined,
): Promise<Cell> {
  const onLine = (line: string) => {
    const id = functionId();
    if (id !== undefined) logs.line(id, line);
  };
  try {
    return await deployTurns.run(userId, () => cells.pool.prove(userId, program, onLine));
  } catch (error) {
    if (error instanceof PoolFullError) throw noRoom();
    if (error instanceof OwnerShareError) throw shareUsedUp(error.share);
    if (error instanceof StartError) throw notStarted(error);
    if (!(error instanceof LoadError)) throw error;
    const { line = 1, column = 1 } = error;
    throw new AppError('DEPLOY_FAILED', `${error.message} (line ${line}, column ${column})`, {
      body: { line, column },
    });
  }
}

function noRoom(): AppError {
  return new AppError('UNAVAILABLE', 'All processes for functions are busy. Try again in a moment.', {
    headers: { 'retry-after': '1' },
  });
}

function notStarted(cause: StartError): AppError {
  return new AppError('UNAVAILABLE', "The function's process did not start. Try again in a moment.", {
    headers: { 'retry-after': '1' },
    cause,
  });
}

function shareUsedUp(share: number): AppError {
  return new AppError(
    'UNAVAILABLE',
    `You have ${share} functions running at once, which is the limit for one owner. Deploy again when one of them has finished its calls.`,
    { headers: { 'retry-after': '5' } },
  );
}
