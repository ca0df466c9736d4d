import { FEATURE_FLAGS } from '../../../contract/pages.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { Tx } from '../../platform/storage/index.ts';
import { requirePage } from './access.ts';
import { addPage, type CreateContext } from './create.ts';
import { findDocument, type PageRow } from './store.ts';

type FeatureFlags = Pick<PageRow, (typeof FEATURE_FLAGS)[number]>;

/** Copies something that belongs to a page, such as its agent spec, to a fork of it; returns the bytes that takes. */
export type CopyToFork = (tx: Tx, from: PageRow, to: PageRow) => Promise<number>;

/** What is to be different in a copy. */
export type ForkChanges = Partial<Pick<PageRow, 'name' | 'description' | 'storage_mode'>>;

/** Makes a copy of a page for the actor: document, settings, and what other slices copy; no data, no history. */
export async function forkPage(
  context: CreateContext & { copies: CopyToFork[] },
  actor: Actor,
  id: number,
  changes: ForkChanges = {},
): Promise<PageRow> {
  const source = await requirePage(context.db, await findDocument(context.db, { id }), actor, 'see');
  const { name, description, storage_mode, is_published, is_unlisted } = source;
  const flags = Object.fromEntries(FEATURE_FLAGS.map((flag) => [flag, source[flag]])) as FeatureFlags;
  const settings = { name, description, storage_mode, is_published, is_unlisted, ...flags, ...changes };
  return addPage(context, actor, source.html_content, settings, async (tx, fork) => {
    let bytes = 0;
    for (const copy of context.copies) bytes += await copy(tx, source, fork);
    await context.chargeUsage(tx, actor.userId, { bytes });
  });
}
