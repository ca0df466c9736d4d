import type { RuledAction } from '../../../../contract/data/collection-rules.ts';
import type { Operation, RecordResponse } from '../../../../contract/data/records.ts';
import { withOperation } from '../../../../contract/errors.ts';
import { MAX_BATCH, MAX_SENT_CHARACTERS, MAX_TRIGGERS } from '../../../../contract/rules/limits.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Db, GroupCommit, Tx } from '../../../platform/storage/index.ts';
import type { RecordChange, RecordTriggers } from '../../ports.ts';
import { listActions, may } from '../access/access.ts';
import { demandAccess, type InCollection } from '../access/data-target.ts';
import { lookUpCollection, parseRules } from '../collections/collection.ts';
import {
  applyOperation,
  type Change,
  type ChangeContext,
  type CheckedOperation,
  insertNew,
} from './changes.ts';
import { checkData } from './record-data.ts';
import { toRecordText } from './wire.ts';

/** The dependencies of writing. */
export interface WriteContext extends ChangeContext {
  /** The functions that get changes. They are started later. */
  triggers(): RecordTriggers;
  db: Db;
  commit: GroupCommit;
  /** Called once the change is committed. */
  announce(target: InCollection, change: Change): void;
}

export async function createRecord(
  context: WriteContext,
  target: InCollection,
  data: unknown,
): Promise<RecordResponse> {
  await refuseEarly(context, target, 'create');
  const { page, storageType, collection } = target;
  const change = await context.commit.runBatched(
    `${page.id} ${storageType} ${collection}`,
    { target, content: checkData(data) },
    (tx, items) =>
      sendChanges(
        context,
        tx,
        items.map((item) => item.target),
        () => insertNew(context, tx, target, items),
      ),
    { alone: isTriggered(target) },
  );
  context.announce(target, change);
  return change.record;
}

/** Merges data into a record, or replaces its data. */
export async function changeRecord(
  context: WriteContext,
  target: InCollection,
  change: { op: 'update' | 'replace'; id: string; data: unknown },
): Promise<RecordResponse> {
  await refuseEarly(context, target, 'update');
  const [result] = await write(context, target, [change]);
  return result?.record as RecordResponse;
}

export async function removeRecord(context: WriteContext, target: InCollection, id: string): Promise<void> {
  await refuseEarly(context, target, 'delete');
  await write(context, target, [{ op: 'delete', id }]);
}

/** Does all of the operations or none. An error says which one failed. */
export async function runBatch(context: WriteContext, target: InCollection, operations: Operation[]) {
  const { actor, storageType } = target;
  const rules = parseRules(await lookUpCollection(context.db, target));
  const allowed = listActions(actor, { storageType, rules });
  // Refuse even an empty batch: otherwise it would reveal something to a viewer.
  const canWrite = allowed.has('create') || allowed.has('update') || allowed.has('delete');
  if (!canWrite) demandAccess(target, 'create', { rules });
  return write(context, target, operations, atIndex);
}

/**
 * Refuses without a transaction what neither the mode nor the rules allow, so that strangers do not occupy the writer.
 * The transaction checks the rules again.
 */
async function refuseEarly(context: WriteContext, target: InCollection, action: RuledAction): Promise<void> {
  const { actor, storageType } = target;
  if (may(actor, action, undefined, { storageType }) === 'allowed') return;
  demandAccess(target, action, { rules: parseRules(await lookUpCollection(context.db, target)) });
}

type Explain = (error: AppError, index: number) => AppError;

async function write(
  context: WriteContext,
  target: InCollection,
  operations: Operation[],
  explain: Explain = (error) => error,
): Promise<Array<{ success: true; record?: RecordResponse }>> {
  const failed = (error: unknown, index: number) =>
    error instanceof AppError ? explain(error, index) : error;
  const checked = operations.map((operation, index) => {
    try {
      return check(operation);
    } catch (error) {
      throw failed(error, index);
    }
  });
  // Functions' queues are locked before what other writes lock.
  const alone = operations.length > 1 || isTriggered(target);
  const changes = await context.commit.run(
    (tx) =>
      sendChanges(context, tx, [target], async () => {
        const made: Change[] = [];
        for (const [index, operation] of checked.entries()) {
          const change = await applyOperation(context, tx, target, operation).catch((error: unknown) => {
            throw failed(error, index);
          });
          made.push(change);
        }
        return made;
      }),
    { alone },
  );
  for (const change of changes) context.announce(target, change);
  return changes.map((change) =>
    change.type === 'deleted' ? { success: true } : { success: true, record: change.record },
  );
}

/** Checks an operation as far as possible without the database. */
function check(operation: Operation): CheckedOperation {
  return operation.op === 'delete' ? operation : { ...operation, content: checkData(operation.data) };
}

function atIndex(error: AppError, index: number): AppError {
  const { error: message, code, ...rest } = error.toBody();
  return new AppError(
    error.code,
    '{message}',
    { message: withOperation(message, index) },
    { body: { ...rest, index }, headers: error.headers },
  );
}

/** Whether functions may get the changes of a collection. Solo data is private to those who store it. */
export function isTriggered({ page, storageType, collection }: InCollection): boolean {
  if (page.triggers === null || storageType === 'solo_data') return false;
  return (JSON.parse(page.triggers) as string[]).includes(collection);
}

/**
 * Makes changes, each for its own target, and sends them in the same transaction. All targets are one collection. With
 * `forgetsData`, what was deleted is sent without its data.
 */
export async function sendChanges<Made extends Change>(
  { triggers }: Pick<WriteContext, 'triggers'>,
  tx: Tx,
  targets: readonly InCollection[],
  work: () => Promise<Made[]>,
  options: { isUnlimited?: boolean; forgetsData?: boolean } = {},
): Promise<Made[]> {
  const [first] = targets;
  if (!first || !isTriggered(first)) return work();
  const send = await triggers().prepare(tx, first.page, first.collection, options);
  const changes = await work();
  const toSend = (change: Change): Change =>
    options.forgetsData ? { ...change, row: { ...change.row, text: '{}' } } : change;
  await send(changes.map((change, at) => toRecordChange(toSend(change), targets[at] ?? first)));
  return changes;
}

/** Characters of the records that one transaction of many changes: each trigger of a function gets all of them. */
const MAX_PIECE_CHARACTERS = MAX_SENT_CHARACTERS / MAX_TRIGGERS;
/** Characters of a record as it is sent, besides its data. */
const HEAD_CHARACTERS = 500;

/**
 * Says of one change after the other, with the records before and after it, whether it still goes into a transaction:
 * what functions get of one is limited. The first always does.
 */
export function limitPiece(target: InCollection): (...texts: Array<string | undefined>) => boolean {
  if (!isTriggered(target)) return () => true;
  let [count, characters] = [0, 0];
  return (...texts) => {
    count++;
    for (const text of texts) characters += (text?.length ?? 0) + HEAD_CHARACTERS;
    return count === 1 || (count <= MAX_BATCH && characters <= MAX_PIECE_CHARACTERS);
  };
}

const ACTIONS = { created: 'create', updated: 'update', deleted: 'delete' } as const;

function toRecordChange(change: Change, target: InCollection): RecordChange {
  const { type, row } = change;
  const before = type === 'updated' ? change.before : type === 'deleted' ? row : undefined;
  return {
    action: ACTIONS[type],
    recordId: row.id,
    record: type === 'deleted' ? null : toRecordText(row, target),
    before: before ? toRecordText(before, target) : null,
    by: { id: target.actor?.userId ?? 0, username: target.username },
    round: target.round ?? 0,
  };
}
