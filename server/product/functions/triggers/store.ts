import { type Selectable, sql } from 'kysely';
import type { TRIGGER_ACTIONS } from '../../../../contract/rules/limits.ts';
import type { Db, PageRow, Tables, Tx } from '../../../platform/storage/index.ts';

/** SQL for triggers. */

export type TriggerRow = Selectable<Tables['function_triggers']>;
export type TriggerAction = (typeof TRIGGER_ACTIONS)[number];

export const readActions = ({ actions }: Pick<TriggerRow, 'actions'>) =>
  JSON.parse(actions) as TriggerAction[];

export function listTriggers(db: Db, functionId: number): Promise<TriggerRow[]> {
  return db
    .selectFrom('function_triggers')
    .selectAll()
    .where('function_id', '=', functionId)
    .orderBy('position')
    .execute();
}

export function findTriggers(db: Db, ids: number[]): Promise<TriggerRow[]> {
  return db.selectFrom('function_triggers').selectAll().where('id', 'in', ids).execute();
}

/** The triggers that changes of a collection go to, in the order in which their queues are locked. */
export function listForCollection(
  db: Db,
  page: Pick<PageRow, 'id' | 'owner_id'>,
  collection: string,
): Promise<Array<Pick<TriggerRow, 'id' | 'function_id' | 'actions' | 'url'>>> {
  return (
    db
      .selectFrom('functions')
      .innerJoin('function_triggers', 'function_triggers.function_id', 'functions.id')
      .select([
        'function_triggers.id',
        'function_triggers.function_id',
        'function_triggers.actions',
        'function_triggers.url',
      ])
      .where('functions.page_id', '=', page.id)
      .where('functions.owner_id', '=', page.owner_id)
      .where('functions.taken_down_at', 'is', null)
      // What happens on a branch stays there.
      .where((eb) =>
        eb.or([eb('functions.branch_slug', 'is', null), eb('function_triggers.url', 'is', null)]),
      )
      .where('function_triggers.collection', '=', collection)
      .orderBy('function_triggers.function_id')
      .orderBy('function_triggers.position')
      .execute()
  );
}

export async function insertTrigger(tx: Tx, row: Omit<TriggerRow, 'id'>): Promise<void> {
  await tx.insertInto('function_triggers').values(row).execute();
}

export async function updateTrigger(
  tx: Tx,
  id: number,
  changes: Pick<TriggerRow, 'position' | 'actions'>,
): Promise<void> {
  await tx.updateTable('function_triggers').set(changes).where('id', '=', id).execute();
}

export async function deleteTriggers(tx: Tx, ids: number[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('function_triggers').where('id', 'in', ids).execute();
}

/** A trigger with a secret as it is stored, and the slug of its function. */
type SealedTrigger = TriggerRow & { sealed_secret: string; slug: string };

/** Triggers after this one whose secret was sealed with another key. */
export function listSealedOtherwise(
  db: Db,
  keyId: string,
  { after, limit }: { after: number; limit: number },
): Promise<SealedTrigger[]> {
  return db
    .selectFrom('function_triggers')
    .innerJoin('functions', 'functions.id', 'function_triggers.function_id')
    .selectAll('function_triggers')
    .select('functions.slug')
    .where(sql<boolean>`substr(sealed_secret, 1, 9) <> ${`${keyId}.`}`)
    .where('function_triggers.id', '>', after)
    .orderBy('function_triggers.id')
    .limit(limit)
    .$narrowType<{ sealed_secret: string }>()
    .execute();
}

/** Replaces how a secret is sealed. False if it has changed meanwhile. */
export async function replaceSealed(tx: Tx, trigger: SealedTrigger, sealed: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('function_triggers')
    .set({ sealed_secret: sealed })
    .where('id', '=', trigger.id)
    .where('sealed_secret', '=', trigger.sealed_secret)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
