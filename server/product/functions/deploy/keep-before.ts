import { phrase } from '../../../../contract/rules/texts/fill.ts';
import type { Actor } from '../../../platform/http/index.ts';
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
