import type { Operation } from '../../../../contract/data/records.ts';
import { phrase } from '../../../../contract/rules/texts/fill.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { MomentKeeper } from '../../ports.ts';
import { may } from '../access/access.ts';
import type { InCollection } from '../access/data-target.ts';
import { lookUpCollection, parseRules } from '../collections/collection.ts';
import { listWritten } from '../records/store.ts';

/** A batch that deletes no more records than this is no emptying of a collection. */
const FEW_RECORDS = 5;

/** Keeps a moment before a batch deletes many records. The private records of visitors are in no moment. */
export async function keepBeforeDeleting(
  { db, moments }: { db: Db; moments: Pick<MomentKeeper, 'keepBefore'> },
  target: InCollection,
  operations: readonly Operation[],
): Promise<void> {
  const { page, storageType, collection: name, actor } = target;
  const ids = operations.flatMap((operation) => (operation.op === 'delete' ? [operation.id] : []));
  if (ids.length <= FEW_RECORDS || storageType === 'solo_data') return;
  const collection = await lookUpCollection(db, target);
  if (!collection) return;
  const governed = { storageType, rules: parseRules(collection) };
  const deleted = (await listWritten(db, collection.id, ids)).filter(
    ({ created_by }) => may(actor, 'delete', { createdBy: created_by }, governed) === 'allowed',
  );
  if (deleted.length <= FEW_RECORDS) return;
  const text = phrase('Kept before many records of {collection} were deleted.', { collection: name });
  await moments.keepBefore(
    page.id,
    { kind: 'delete', by: actor?.userId ?? null, text },
    { areChangedSince: (at) => deleted.some(({ updated_at }) => updated_at >= at) },
  );
}
