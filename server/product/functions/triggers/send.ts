import { MAX_SENT_CHARACTERS } from '../../../../contract/rules/limits.ts';
import { AppError } from '../../../lib/errors.ts';
import { afterCommit, keepRows, type Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage, RecordChange, RecordTriggers } from '../../ports.ts';
import { sendMessages } from '../jobs/send.ts';
import { openQueue } from '../jobs/store.ts';
import type { FunctionLogs } from '../logs/logs.ts';
import { listForCollection, readActions } from './store.ts';

/** How many deliveries can cause each other, one after the other. */
const MAX_ROUNDS = 8;

interface SendContext {
  now: () => number;
  chargeUsage: ChargeUsage;
  chargeWithoutQuota: ChargeUsage;
  logs: Pick<FunctionLogs, 'system'>;
  wakeJobs(): void;
}

type Found = Awaited<ReturnType<typeof listForCollection>>[number];

/**
 * Puts changes of records into the queues of functions, in the transaction of the change. Queues are locked before
 * anything else, as everybody does who changes them: so two transactions never wait for each other, and the changes of
 * a record are in its queue in the order in which they were made.
 */
export function createRecordTriggers(context: SendContext): RecordTriggers {
  return {
    async prepare(tx, page, collection, { isUnlimited = false } = {}) {
      const found = await listForCollection(tx, page, collection);
      // A function can be deleted meanwhile.
      const kept = await keepRows(tx, 'functions', [...new Set(found.map((each) => each.function_id))]);
      const present = found.filter((each) => kept.has(each.function_id));
      const byFunction = Map.groupBy(present, (trigger) => trigger.function_id);
      for (const functionId of byFunction.keys()) await openQueue(tx, functionId, page.owner_id);
      return async (changes) => {
        for (const [functionId, triggers] of byFunction)
          await sendChanges(
            context,
            tx,
            { functionId, ownerId: page.owner_id, collection, triggers, isUnlimited },
            changes,
          );
      };
    },
  };
}

interface Target {
  functionId: number;
  ownerId: number;
  collection: string;
  triggers: Found[];
  isUnlimited: boolean;
}

async function sendChanges(
  { now, chargeUsage, chargeWithoutQuota, logs, wakeJobs }: SendContext,
  tx: Tx,
  { functionId, ownerId, collection, triggers, isUnlimited }: Target,
  changes: readonly RecordChange[],
): Promise<void> {
  const wanted = triggers.flatMap((trigger) => {
    const actions = readActions(trigger);
    return changes.filter(({ action }) => actions.includes(action)).map((change) => ({ trigger, change }));
  });
  const sent = wanted.filter(({ change }) => change.round < MAX_ROUNDS);
  if (sent.length < wanted.length)
    await afterCommit(tx, () =>
      logs.system(
        functionId,
        `A change of ${collection} was not sent: ${MAX_ROUNDS} deliveries have caused each other, one after the other. Does a trigger change its own collection?`,
      ),
    );
  if (sent.length === 0) return;
  if (changes.length > 1) assertSize(sent.map(({ change }) => change));
  // Whoever deletes gives storage back, and must always be able to.
  const isFree = isUnlimited || changes.every(({ action }) => action === 'delete');
  const messages = sent.map(({ trigger, change }) => ({
    body: toBody(collection, change),
    round: change.round + 1,
    inOrder: `${trigger.url === null ? '' : trigger.id} ${change.recordId}`,
    ...(trigger.url !== null && { triggerId: trigger.id }),
  }));
  const askedBy = changes[0]?.by.id;
  const charge = isFree ? chargeWithoutQuota : chargeUsage;
  const options = { now: now(), chargeUsage: charge, askedBy, isUnlimited: isFree };
  if (await sendMessages(tx, { functionId, ownerId }, messages, options)) await afterCommit(tx, wakeJobs);
}

/** Fails before the messages are made: they take many times what a request has. */
function assertSize(changes: readonly RecordChange[]): void {
  const characters = changes.reduce(
    (sum, { record, before }) => sum + (record?.length ?? 0) + (before?.length ?? 0),
    0,
  );
  if (characters <= MAX_SENT_CHARACTERS) return;
  throw new AppError(
    'PAYLOAD_TOO_LARGE',
    'These changes are too large to send to the functions of this page at once. Send fewer.',
  );
}

/** The records are JSON already. */
function toBody(collection: string, { action, record, before, by }: RecordChange): string {
  const head = JSON.stringify({ type: 'record', action, collection });
  return `${head.slice(0, -1)},"record":${record},"before":${before},"by":${JSON.stringify(by)}}`;
}
