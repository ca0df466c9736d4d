import type { NewTrigger, Trigger } from '../../../../contract/functions/triggers.ts';
import type { Sealer } from '../../../lib/secrets.ts';
import { triggerContext } from './change.ts';
import { readActions, type TriggerRow } from './store.ts';

/** A trigger as it was sent. */
export const toNewTrigger = (row: TriggerRow): NewTrigger => ({
  collection: row.collection,
  actions: readActions(row),
  ...(row.url !== null && { url: row.url }),
});

/** A trigger as its owner sees it. */
export const toTrigger = (row: TriggerRow, sealer: Sealer): Trigger => ({
  ...toNewTrigger(row),
  ...openSecret(row, sealer),
});

/** Nothing if it was sealed with a key that nobody has any more: the owner can then still remove the trigger. */
function openSecret({ sealed_secret, function_id }: TriggerRow, sealer: Sealer): Pick<Trigger, 'secret'> {
  if (sealed_secret === null) return {};
  try {
    return { secret: sealer.open(sealed_secret, triggerContext(function_id)) };
  } catch {
    return {};
  }
}
