import { ApiError } from '../../../api.ts';
import { type CollectionPlace, type Operation, runBatch } from '../api.ts';

/** Many operations, in batches that the service takes. */

const MAX_OPERATIONS = 100;
/** The service takes 4 MB; there is more in a body than this counts. */
const MAX_LETTERS = 1_000_000;

/** What is wrong with one operation, not with all of them. */
const ABOUT_ONE = ['VALIDATION_FAILED', 'BAD_REQUEST', 'PAYLOAD_TOO_LARGE', 'NOT_FOUND', 'FORBIDDEN'];

/** What a body may be refused with for its size or its number of values. */
const TOO_MUCH = ['BAD_REQUEST', 'PAYLOAD_TOO_LARGE'];

interface Item {
  operation: Operation;
  /** Called once it was refused; the others go on without it. */
  onRefused: (error: ApiError) => void;
}

/** Does what can be done. Stops at the first failure that is not about a single operation. */
export async function runAll(
  place: CollectionPlace,
  items: Item[],
  options: { signal?: AbortSignal; onProgress: (done: number) => void },
): Promise<void> {
  let done = 0;
  for (const batch of batchesOf(items)) {
    await runOne(place, batch, options.signal);
    done += batch.length;
    options.onProgress(done);
  }
}

/**
 * A batch is done whole or not at all, so whatever is refused is left out and the rest tried again. What is too much at
 * a time, such as records of very many numbers, goes in halves.
 */
async function runOne(place: CollectionPlace, batch: Item[], signal: AbortSignal | undefined): Promise<void> {
  let left = [...batch];
  while (left.length > 0) {
    const operations = left.map(({ operation }) => operation);
    try {
      await runBatch(place, operations, signal);
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || !ABOUT_ONE.includes(error.code)) throw error;
      const { index } = error.body;
      if (index === undefined && left.length > 1 && TOO_MUCH.includes(error.code)) {
        const half = Math.ceil(left.length / 2);
        await runOne(place, left.slice(0, half), signal);
        left = left.slice(half);
        continue;
      }
      const refused = typeof index === 'number' ? left.splice(index, 1)[0] : undefined;
      if (!refused) throw error;
      refused.onRefused(error);
    }
  }
}

function batchesOf(items: Item[]): Item[][] {
  const batches: Item[][] = [];
  let letters = 0;
  for (const item of items) {
    const size = JSON.stringify(item.operation).length;
    const last = batches.at(-1);
    if (last && last.length < MAX_OPERATIONS && letters + size <= MAX_LETTERS) {
      last.push(item);
      letters += size;
    } else {
      batches.push([item]);
      letters = size;
    }
  }
  return batches;
}
