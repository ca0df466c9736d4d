import { phrase } from '../../../../contract/rules/texts/fill.ts';
import type { Actor } from '../../../platform/http/index.ts';
import { listConcernedPages } from '../database/concerned-pages.ts';
import type { FunctionRow, lockFunction } from '../model/store.ts';
import type { DeployContext } from './context.ts';

/** A function that is about to be deleted. */
export type RemovedFunction = NonNullable<Awaited<ReturnType<typeof lockFunction>>>;

/** Keeps a moment of the function's page, and before a deploy, which can migrate the database, of all that use it. */
export async function keepBefore(
  { db, moments }: Pick<DeployContext, 'db' | 'moments'>,
  actor: Actor,
  row: Pick<FunctionRow, 'page_id' | 'slug' | 'database_id'>,
  kind: 'deploy' | 'delete',
): Promise<void> {
  const { page_id, slug } = row;
  const own = page_id === null ? [] : [page_id];
  const pages = new Set(kind === 'deploy' ? [...own, ...(await listConcernedPages(db, row))] : own);
  const text =
    kind === 'deploy'
      ? phrase('Kept before the function {slug} was deployed.', { slug })
      : phrase('Kept before the function {slug} was deleted.', { slug });
  for (const id of pages) await moments.keepBefore(id, { kind, by: actor.userId, text });
}
