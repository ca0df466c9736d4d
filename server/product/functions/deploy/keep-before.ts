import { phrase } from '../../../../contract/rules/texts/fill.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import { keepRemoved } from '../model/removed-store.ts';
import type { FunctionRow, lockFunction } from '../model/store.ts';
import type { DeployContext } from './context.ts';

/** A function that is about to be deleted. */
export type RemovedFunction = NonNullable<Awaited<ReturnType<typeof lockFunction>>>;

/** Keeps a moment of the function's page. */
export async function keepBefore(
  { moments }: Pick<DeployContext, 'moments'>,
  actor: Actor,
  { page_id, slug }: Pick<FunctionRow, 'page_id' | 'slug'>,
  kind: 'deploy' | 'delete',
): Promise<void> {
  if (page_id === null) return;
  const text =
    kind === 'deploy'
      ? phrase('Kept before the function {slug} was deployed.', { slug })
      : phrase('Kept before the function {slug} was deleted.', { slug });
  await moments.keepBefore(page_id, { kind, by: actor.userId, text });
}

/** Keeps the versions of a deleted function that moments of its page need. */
export async function keepNeeded(
  { moments, now }: Pick<DeployContext, 'moments' | 'now'>,
  tx: Tx,
  { id, page_id, is_public }: RemovedFunction,
): Promise<void> {
  if (page_id === null) return;
  const versions = [...(await moments.listNeededVersions(tx, page_id, id))];
  await keepRemoved(tx, { pageId: page_id, functionId: id, isPublic: is_public, versions, now: now() });
}
