import { AppError } from '../../../lib/errors.ts';
import { type Cell, type CellAnswer, type Cells, NoTurnError } from '../../../runtime/cells/index.ts';
import type { Databases } from '../../../runtime/databases/index.ts';
import type { MomentKeeper } from '../../ports.ts';
import { type Failure, findFailure, startFailure } from '../calls/failures.ts';
import type { LiveFunction } from '../calls/registry.ts';
import { brokenFailure, isNeverSent, NEVER_SENT_TRIES } from '../calls/run.ts';

/** How long a run can take, with everything that it gives to `waitUntil`. */
export const RUN_MS = 5 * 60_000;

/** Why a run was cut off, as the reason of its signal. */
const CUT_OFF = {
  late: 'The run did not end within 5 minutes and was stopped.',
  place: 'The run was stopped after 30 seconds, because other schedules were waiting.',
  stop: 'The server stopped during the run. It is not repeated.',
} as const;
export type CutOff = keyof typeof CUT_OFF;

/** Thrown when a run was cut off before its function's process was ready. */
const NOT_SENT = new Error('not sent');

export interface Run {
  cron: string;
  moment: number;
  signal: AbortSignal;
  /** The mark of the lines that the run prints. */
  trace?: string | undefined;
  /** Called when the function's process is ready, or did not start. */
  onBegun?(): void;
}

/** A run of a handler that no visitor has called. */
interface OwnRun {
  signal: AbortSignal;
  /** Sends the run to a process that is ready. */
  send(cell: Cell): Promise<CellAnswer>;
  /** Called when the function's process is ready, or did not start. */
  onBegun?(): void;
}

export interface RunContext {
  cells: Cells;
  databases: Databases;
  moments: Pick<MomentKeeper, 'noteChange' | 'assertNotRestoring'>;
}

/** How a run ended. `isNotRun` means that owner code has not begun. */
export type Outcome = { failure?: Failure; isNotRun?: boolean; cutOff?: CutOff; answer?: CellAnswer };

/** Runs a function's `scheduled` once. Never twice: it is sent again only if it was never sent. */
export function runOnce(runtime: RunContext, found: LiveFunction, run: Run): Promise<Outcome> {
  const { signal, onBegun } = run;
  return runHandler(runtime, found, { signal, send: (cell) => send(cell, run), ...(onBegun && { onBegun }) });
}

/** Runs a handler once, and sends it again only if it was never sent. */
export async function runHandler(
  runtime: RunContext,
  found: LiveFunction,
  run: OwnRun,
  tries = 1,
): Promise<Outcome> {
  const { cells } = runtime;
  // The function was blocked a moment ago. Its work waits until it is unblocked.
  if (found.block) return { failure: found.block, isNotRun: true };
  const pause = findPause(runtime, found);
  if (pause) return { failure: pause, isNotRun: true };
  let cell: Cell;
  try {
    cell = await cells.pool.acquire(found.entry);
  } catch (error) {
    return { failure: startFailure(error), isNotRun: true };
  } finally {
    run.onBegun?.();
  }
  try {
    if (run.signal.aborted) throw NOT_SENT;
    const answer = await run.send(cell);
    const failure = findFailure(runtime, answer, found);
    return { answer, ...(failure && { failure }) };
  } catch (error) {
    if (run.signal.aborted) return { ...cutOff(run.signal.reason as CutOff), isNotRun: error === NOT_SENT };
    if (!isNeverSent(error)) return { failure: await brokenFailure(cells, cell, error) };
    if (!(error instanceof NoTurnError)) {
      cell.kill();
      await cell.exited;
    }
    if (tries < NEVER_SENT_TRIES) return runHandler(runtime, found, run, tries + 1);
    return { failure: await brokenFailure(cells, cell, error), isNotRun: true };
  }
}

/** Why the function has to wait: its page is being restored. Otherwise it may change its database. */
function findPause({ moments }: RunContext, { pageId, databaseId }: LiveFunction): Failure | undefined {
  if (pageId === null) return undefined;
  try {
    moments.assertNotRestoring(pageId);
    if (databaseId !== null) moments.noteChange(pageId);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { status: 503, error: error.message };
  }
}

async function send(cell: Cell, { cron, moment, signal, trace }: Run): Promise<CellAnswer> {
  const call = {
    caller: 'schedules',
    bodyBytes: 0,
    trace,
    scheduled: { cron, moment },
    onTurn: () => undefined,
  };
  const answer = await cell.fetch('/', { method: 'POST', headers: {}, signal }, call);
  answer.stream?.done();
  await answer.stream?.body.cancel();
  return answer;
}

const cutOff = (reason: CutOff): Outcome => ({
  failure: { status: reason === 'late' ? 504 : 503, error: CUT_OFF[reason] },
  cutOff: reason,
});
