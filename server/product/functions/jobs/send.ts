import { AppError } from '../../../lib/errors.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { AFTER_OTHERS, countBytes, MAX_OWNER_MESSAGES, MAX_VISITOR_MESSAGES } from './limits.ts';
import { deleteWithKeys, findFirstDue, insertJobs, listBegun } from './message-store.ts';
import { countOwnersMessages, openQueue, updateQueue } from './store.ts';

/** A message to send: JSON as text. */
interface NewMessage {
  body: string;
  key?: string | undefined;
  delaySeconds?: number | undefined;
  /** The trigger whose URL gets it, instead of the function. */
  triggerId?: number;
  /** It waits until those with the same text are done, or have failed. */
  inOrder?: string;
  /** How many deliveries of changes led to it, one after the other. */
  round?: number | undefined;
}

interface SendOptions {
  now: number;
  chargeUsage: ChargeUsage;
  /** Who causes it, if it is not the function itself. */
  askedBy?: number | undefined;
  /** Whether it is sent however many wait. */
  isUnlimited?: boolean;
}

/**
 * Adds messages to a function's queue. A waiting message with the same key is replaced. Returns whether the queue has
 * work sooner than before, or its batch was lost with its node.
 */
export async function sendMessages(
  tx: Tx,
  to: { functionId: number; ownerId: number },
  messages: readonly NewMessage[],
  { now, chargeUsage, askedBy, isUnlimited = false }: SendOptions,
): Promise<boolean> {
  const { functionId, ownerId } = to;
  const queue = await openQueue(tx, functionId, ownerId);
  const kept = dropReplaced(messages);
  const orders = kept.flatMap(({ inOrder }) => inOrder ?? []);
  const begun = new Set(await listBegun(tx, functionId, [...new Set(orders)]));
  const jobs = kept.map(({ body, key = null, delaySeconds = 0, triggerId, inOrder = null, round = 0 }) => {
    const isNext = inOrder === null || !begun.has(inOrder);
    if (inOrder !== null) begun.add(inOrder);
    return {
      ...{ body, key, round, sent_at: now, trigger_id: triggerId ?? null, in_order: inOrder },
      bytes: countBytes(body, key),
      due_at: isNext ? now + delaySeconds * 1000 : AFTER_OTHERS,
    };
  });
  const keys = jobs.flatMap(({ key }) => key ?? []);
  const replaced = await deleteWithKeys(tx, functionId, keys);
  const count = jobs.length - replaced.length;
  if (count > 0 && !isUnlimited) await assertFree(tx, ownerId, count, askedBy);
  await insertJobs(tx, functionId, jobs);
  const bytes = sum(jobs.map((job) => job.bytes)) - sum(replaced);
  const first = Math.min(...jobs.map((job) => job.due_at));
  const due_at =
    replaced.length > 0 ? await findFirstDue(tx, functionId) : Math.min(queue.due_at ?? first, first);
  await updateQueue(tx, functionId, {
    waiting: queue.waiting + count,
    bytes: queue.bytes + bytes,
    due_at,
  });
  await chargeUsage(tx, ownerId, { bytes }, askedBy);
  const isLost = queue.running_until !== null && queue.running_until <= now;
  return isLost || queue.due_at === null || (due_at ?? first) < queue.due_at;
}

/** Visitors can use half of what an owner's functions can have, so that the rest is left to the functions themselves. */
async function assertFree(
  tx: Tx,
  ownerId: number,
  count: number,
  askedBy: number | undefined,
): Promise<void> {
  const isOwners = askedBy === undefined || askedBy === ownerId;
  const most = isOwners ? MAX_OWNER_MESSAGES : MAX_VISITOR_MESSAGES;
  if ((await countOwnersMessages(tx, ownerId)) + count <= most) return;
  throw isOwners ? tooMany() : tooManyChanges();
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

/** For visitors of a page, who do not know its functions. */
const tooManyChanges = () =>
  new AppError(
    'QUOTA_EXCEEDED',
    'This page cannot take more changes now, because its functions have too many to work through. Try again later.',
  );
