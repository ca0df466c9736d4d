import type { NewTrigger } from '../../../../contract/functions/triggers.ts';
import { AppError } from '../../../lib/errors.ts';
import { randomSecret, type Sealer } from '../../../lib/secrets.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../../ports.ts';
import { noteTriggered } from '../model/triggered.ts';
import { secretContext } from '../secrets/secrets.ts';
import { deleteTriggers, insertTrigger, listTriggers, updateTrigger } from './store.ts';

export interface TriggersContext {
  sealer: Sealer;
  pages: Pick<PageDirectory, 'find' | 'noteTriggers'>;
}

/** What the secret of a trigger is sealed for. No secret of a function has such a name. */
export const triggerContext = (functionId: number) => secretContext(functionId, '~trigger');

/** Fails if a function of this page cannot have triggers. */
export async function assertTriggers(
  { pages }: TriggersContext,
  db: Db,
  pageId: number | null,
  triggers: readonly NewTrigger[],
): Promise<void> {
  if (triggers.length === 0 || pageId === null) return;
  const page = await pages.find(db, String(pageId));
  if (page?.storage_mode !== 'solo_app') return;
  throw new AppError(
    'CONFLICT',
    'The records of a solo page are private to the visitor who made them, so no function gets their changes. Triggers work on pages in the modes team_app and social_app.',
  );
}

/** Replaces the triggers of a function. Those that stay keep their secret. */
export async function replaceTriggers(
  { sealer, pages }: TriggersContext,
  tx: Tx,
  { functionId, pageId }: { functionId: number; pageId: number | null },
  triggers: readonly NewTrigger[],
): Promise<void> {
  const current = await listTriggers(tx, functionId);
  const toKey = ({ collection, url }: { collection: string; url?: string | null | undefined }) =>
    `${collection} ${url ?? ''}`;
  const wanted = new Set(triggers.map(toKey));
  await deleteTriggers(
    tx,
    current.filter((row) => !wanted.has(toKey(row))).map(({ id }) => id),
  );
  for (const [position, trigger] of triggers.entries()) {
    const { collection, url } = trigger;
    const actions = JSON.stringify(trigger.actions);
    const kept = current.find((row) => toKey(row) === toKey(trigger));
    if (kept) await updateTrigger(tx, kept.id, { position, actions });
    else
      await insertTrigger(tx, {
        ...{ function_id: functionId, position, collection, actions },
        url: url ?? null,
        sealed_secret:
          url === undefined ? null : sealer.seal(`whsec_${randomSecret()}`, triggerContext(functionId)),
      });
  }
  if (pageId !== null) await noteTriggered(pages, tx, pageId);
}

/** Fails if a function gets changes in its queue, and its code does not take them. */
export async function assertTakesChanges(db: Db, functionId: number, hasQueue: boolean): Promise<void> {
  if (hasQueue) return;
  const triggers = await listTriggers(db, functionId);
  if (triggers.some(({ url }) => url === null)) throw noQueue();
}

export const noQueue = () =>
  new AppError(
    'DEPLOY_FAILED',
    'The function has triggers, but its default export has no queue function. Write: export default { queue(batch, env, ctx) { … } }',
    {},
    { body: { line: 1, column: 1 } },
  );
