import type { ApiError } from '../../../../api.ts';
import { type CollectionTarget, type Filter, type Operation, readAll } from '../../api.ts';
import { runAll } from './batches.ts';

/** Changes or deletes many records. */

/** The records to work on: these, or all that match a filter. */
export type Selected = { kind: 'ids'; ids: string[] } | { kind: 'matching'; filter: Filter; total: number };

export interface BulkResult {
  /** How many were changed or deleted. */
  done: number;
  /** Records that someone else had already deleted. */
  gone: number;
  /** How many were refused, by the reason. */
  refused: Map<string, number>;
  /** How many were not tried, because the person canceled or the service stopped answering. */
  left: number;
  isCanceled: boolean;
  /** Why the work stopped before its end. */
  failure?: Error;
}

export interface BulkProgress {
  phase: 'finding' | 'working';
  done: number;
  total: number;
}

interface Options {
  /** Finishes the current batch, so that the result is exact. */
  isCanceled: () => boolean;
  onProgress: (progress: BulkProgress) => void;
}

/** Runs an operation for each record and says exactly what happened. */
export async function runBulk(
  target: CollectionTarget,
  selected: Selected,
  toOperation: (id: string) => Operation,
  { isCanceled, onProgress }: Options,
): Promise<BulkResult> {
  const result: BulkResult = { done: 0, gone: 0, refused: new Map(), left: 0, isCanceled: false };
  const ids =
    selected.kind === 'ids' ? selected.ids : await findIds(target, selected, { isCanceled, onProgress });
  let tried = 0;
  let refused = 0;
  const items = ids.map((id) => ({
    operation: toOperation(id),
    onRefused: (error: ApiError, reason: string) => {
      refused += 1;
      if (error.code === 'NOT_FOUND') result.gone += 1;
      else result.refused.set(reason, (result.refused.get(reason) ?? 0) + 1);
    },
  }));
  const working = (done: number): void => {
    tried = done;
    onProgress({ phase: 'working', done, total: ids.length });
  };
  working(0);
  try {
    await runAll(target, items, { isCanceled, onProgress: working });
  } catch (error) {
    result.failure = error as Error;
  }
  result.done = tried - refused;
  result.left = ids.length - tried;
  result.isCanceled = isCanceled() && result.left > 0;
  return result;
}

async function findIds(
  target: CollectionTarget,
  { filter, total }: Extract<Selected, { kind: 'matching' }>,
  { isCanceled, onProgress }: Options,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const { records } of readAll(target, filter)) {
    ids.push(...records.map(({ id }) => id));
    onProgress({ phase: 'finding', done: ids.length, total: Math.max(total, ids.length) });
    if (isCanceled()) return [];
  }
  return ids;
}
