import type { RuledAction } from '../../../../contract/data/collection-rules.ts';
import type { Operation, RecordResponse } from '../../../../contract/data/records.ts';
import { withOperation } from '../../../../contract/errors.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Db, GroupCommit } from '../../../platform/storage/index.ts';
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

/** The dependencies of writing. */
export interface WriteContext extends ChangeContext {
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
    (tx, items) => insertNew(context, tx, target, items),
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
  const alone = operations.length > 1;
  const changes = await context.commit.run(
    async (tx) => {
      const made: Change[] = [];
      for (const [index, operation] of checked.entries()) {
        const change = await applyOperation(context, tx, target, operation).catch((error: unknown) => {
          throw failed(error, index);
        });
        made.push(change);
      }
      return made;
    },
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
