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
  ...(row.sealed_secret !== null && {
    secret: sealer.open(row.sealed_secret, triggerContext(row.function_id)),
  }),
});
