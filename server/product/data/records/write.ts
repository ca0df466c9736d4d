import type { RuledAction } from '../../../../contract/data/collection-rules.ts';
import type { Operation, RecordResponse } from '../../../../contract/data/records.ts';
import { withOperation } from '../../../../contract/errors.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Db, GroupCommit } from '../../../platform/storage/index.ts';
import { actionsOf, may } from '../access/access.ts';
import { demandAccess, type InCollection } from '../access/place.ts';
import { lookUpCollection, rulesOf } from '../collections/collection.ts';
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
  announce(place: InCollection, change: Change): void;
}

export async function createRecord(
  context: WriteContext,
  place: InCollection,
  data: unknown,
): Promise<RecordResponse> {
  await refuseEarly(context, place, 'create');
  const { page, storageType, collection } = place;
  const change = await context.commit.runBatched(
    `${page.id} ${storageType} ${collection}`,
    { place, content: checkData(data) },
    (tx, items) => insertNew(context, tx, place, items),
  );
  context.announce(place, change);
  return change.record;
}

/** Merges data into a record, or replaces its data. */
export async function changeRecord(
  context: WriteContext,
  place: InCollection,
  change: { op: 'update' | 'replace'; id: string; data: unknown },
): Promise<RecordResponse> {
  await refuseEarly(context, place, 'update');
  const [result] = await write(context, place, [change]);
  return result?.record as RecordResponse;
}

export async function removeRecord(context: WriteContext, place: InCollection, id: string): Promise<void> {
  await refuseEarly(context, place, 'delete');
  await write(context, place, [{ op: 'delete', id }]);
}

/** Does all of the operations or none. An error says which one failed. */
export async function runBatch(context: WriteContext, place: InCollection, operations: Operation[]) {
  const { actor, storageType } = place;
  const rules = rulesOf(await lookUpCollection(context.db, place));
  const allowed = actionsOf(actor, { storageType, rules });
  // Refuse even an empty batch: otherwise it would reveal something to a viewer.
  const canWrite = allowed.has('create') || allowed.has('update') || allowed.has('delete');
  if (!canWrite) demandAccess(place, 'create', { rules });
  return write(context, place, operations, atIndex);
}

/**
 * Refuses without a transaction what neither the mode nor the rules allow, so that strangers do not occupy the writer.
 * The transaction checks the rules again.
 */
async function refuseEarly(context: WriteContext, place: InCollection, action: RuledAction): Promise<void> {
  const { actor, storageType } = place;
  if (may(actor, action, undefined, { storageType }) === 'allowed') return;
  demandAccess(place, action, { rules: rulesOf(await lookUpCollection(context.db, place)) });
}

type Explain = (error: AppError, index: number) => AppError;

async function write(
  context: WriteContext,
  place: InCollection,
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
        const change = await applyOperation(context, tx, place, operation).catch((error: unknown) => {
          throw failed(error, index);
        });
        made.push(change);
      }
      return made;
    },
    { alone },
  );
  for (const change of changes) context.announce(place, change);
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
  return new AppError(error.code, withOperation(message, index), {
    body: { ...rest, index },
    headers: error.headers,
  });
}
