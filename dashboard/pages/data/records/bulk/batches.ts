import { withoutOperation } from '../../../../../contract/errors.ts';
import { MAX_BATCH } from '../../../../../contract/rules/limits.ts';
import { ApiError } from '../../../../api.ts';
import { type CollectionTarget, type Operation, runBatch } from '../../api.ts';

/** Runs many operations in batches. */

/** Well below the limit of 4 MB for a body, because characters may take several bytes. */
const MAX_LETTERS = 1_000_000;

/** Errors of a single operation. */
const ABOUT_ONE = ['VALIDATION_FAILED', 'BAD_REQUEST', 'PAYLOAD_TOO_LARGE', 'NOT_FOUND', 'FORBIDDEN'];

/** Errors of a body that is too large or has too many values. */
const TOO_MUCH = ['BAD_REQUEST', 'PAYLOAD_TOO_LARGE'];

interface Item {
  operation: Operation;
  /** Called if the service refuses this operation. The others continue. */
  onRefused: (error: ApiError, reason: string) => void;
}

/** Runs all operations. Stops between two batches if it is canceled, and at an error that does not concern a single operation. */
export async function runAll(
  target: CollectionTarget,
  items: Item[],
  options: { signal?: AbortSignal; isCanceled?: () => boolean; onProgress: (done: number) => void },
): Promise<void> {
  let done = 0;
  for (const batch of toBatches(items)) {
    if (options.isCanceled?.()) return;
    await runOne(target, batch, options.signal);
    done += batch.length;
    options.onProgress(done);
  }
}

/**
 * A batch succeeds or fails as a whole. If one operation is refused, the rest is tried again without it. If a batch is
 * too large, for example because its records have very many values, each half is tried separately.
 */
async function runOne(
  target: CollectionTarget,
  batch: Item[],
  signal: AbortSignal | undefined,
): Promise<void> {
  let left = [...batch];
  while (left.length > 0) {
    const operations = left.map(({ operation }) => operation);
    try {
      await runBatch(target, operations, signal);
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || !ABOUT_ONE.includes(error.code)) throw error;
      const { index } = error.body;
      if (index === undefined && left.length > 1 && TOO_MUCH.includes(error.code)) {
        const half = Math.ceil(left.length / 2);
        await runOne(target, left.slice(0, half), signal);
        left = left.slice(half);
        continue;
      }
      const refused = typeof index === 'number' ? left.splice(index, 1)[0] : undefined;
      if (typeof index !== 'number' || !refused) throw error;
      refused.onRefused(error, withoutOperation(error.message, index));
    }
  }
}

function toBatches(items: Item[]): Item[][] {
  const batches: Item[][] = [];
  let letters = 0;
  for (const item of items) {
    const size = JSON.stringify(item.operation).length;
    const last = batches.at(-1);
    if (last && last.length < MAX_BATCH && letters + size <= MAX_LETTERS) {
      last.push(item);
      letters += size;
    } else {
      batches.push([item]);
      letters = size;
    }
  }
  return batches;
}
