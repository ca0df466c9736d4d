import type { SignedInCaller } from '../../../platform/http/index.ts';
import type { PageRow, Tx } from '../../../platform/storage/index.ts';
import { PUBLIC, privately } from '../access/change.ts';
import { copyFiles } from '../files/copy.ts';
import type { PageDirectory } from '../model/directory.ts';
import { findDocument } from '../model/page-store.ts';
import { readSwitches, toColumns } from '../model/switches.ts';
import { copyAgentFunctions } from './agent-functions.ts';
import { type AddContext, addPage } from './create.ts';

/** The fields that differ in a copy. */
export type ForkChanges = Partial<Pick<PageRow, 'name' | 'description' | 'storage_mode'>>;

/** Copies something that belongs to a page, such as its agent spec, to a fork. Returns the added bytes. */
export type CopyToFork = (tx: Tx, from: PageRow, to: PageRow) => Promise<number>;

export interface ForkContext extends AddContext {
  directory: PageDirectory;
  /** What other slices store with a page and copy to its forks. */
  copies: CopyToFork[];
}

/** Copies a page for the actor: document, files, settings, and what other slices copy; no data, no history. */
export async function forkPage(
  context: ForkContext,
  caller: SignedInCaller,
  id: number,
  changes: ForkChanges = {},
): Promise<PageRow> {
  const { db, directory } = context;
  const { actor } = caller;
  const source = await directory.see(db, await findDocument(db, { id }), caller);
  const { name, description, storage_mode, is_published, isolation } = source;
  const switches = toColumns(readSwitches(source));
  // A copy of a page that only some people can see is private, until its owner decides otherwise.
  const access = source.access_mode === 'public' && source.access_expires_at === null ? PUBLIC : privately();
  const given = { name, description, storage_mode, is_published, isolation, ...switches, ...changes };
  const settings = { ...given, ...access };
  const fork = await addPage(context, actor, source.html_content, settings, async (tx, fork) => {
    let bytes = await copyAgentFunctions(tx, source, fork);
    for (const copy of context.copies) bytes += await copy(tx, source, fork);
    bytes += await copyFiles(tx, source, fork);
    await context.chargeUsage(tx, actor.userId, { bytes });
  });
  context.pictures.want(fork.id);
  return fork;
}
