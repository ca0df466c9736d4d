import { AppError } from '../../../lib/errors.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { countBytes, MAX_OWNER_MESSAGES } from './limits.ts';
import { deleteWithKeys, findFirstDue, insertJobs } from './message-store.ts';
import { countOwnersMessages, openQueue, updateQueue } from './store.ts';

/** A message to send: JSON as text. */
interface NewMessage {
  body: string;
  key?: string | undefined;
  delaySeconds?: number | undefined;
}

/**
 * Adds messages to a function's queue. A waiting message with the same key is replaced. Returns whether the queue has
 * work sooner than before, or its batch was lost with its node.
 */
export async function sendMessages(
  tx: Tx,
  to: { functionId: number; ownerId: number },
  messages: readonly NewMessage[],
  { now, chargeUsage }: { now: number; chargeUsage: ChargeUsage },
): Promise<boolean> {
  const { functionId, ownerId } = to;
  const queue = await openQueue(tx, functionId, ownerId);
  const jobs = dropReplaced(messages).map(({ body, key = null, delaySeconds = 0 }) => ({
    ...{ body, key, sent_at: now },
    bytes: countBytes(body, key),
    due_at: now + delaySeconds * 1000,
  }));
  const keys = jobs.flatMap(({ key }) => key ?? []);
  const replaced = await deleteWithKeys(tx, functionId, keys);
  await insertJobs(tx, functionId, jobs);
  const count = jobs.length - replaced.length;
  if (count > 0 && (await countOwnersMessages(tx, ownerId)) + count > MAX_OWNER_MESSAGES) throw tooMany();
  const bytes = sum(jobs.map((job) => job.bytes)) - sum(replaced);
  const first = Math.min(...jobs.map((job) => job.due_at));
  const due_at =
    replaced.length > 0 ? await findFirstDue(tx, functionId) : Math.min(queue.due_at ?? first, first);
  await updateQueue(tx, functionId, {
    waiting: queue.waiting + count,
    bytes: queue.bytes + bytes,
    due_at,
  });
  await chargeUsage(tx, ownerId, { bytes });
  const isLost = queue.running_until !== null && queue.running_until <= now;
  return isLost || queue.due_at === null || (due_at ?? first) < queue.due_at;
}

/** Keeps only the last message of each key. */
function dropReplaced(messages: readonly NewMessage[]): NewMessage[] {
  const last = new Map(
    messages.flatMap((each) => (each.key === undefined ? [] : [[each.key, each] as const])),
  );
  return messages.filter((each) => each.key === undefined || last.get(each.key) === each);
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

const tooMany = () =>
  new AppError(
    'QUOTA_EXCEEDED',
    'Your functions have {count} jobs that wait or have failed, which is the limit. Wait until some are done, or delete failed ones.',
    { count: MAX_OWNER_MESSAGES },
  );
