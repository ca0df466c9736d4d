import type { Finding } from '../../../../contract/attack/attack.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../../../platform/storage/index.ts';
import type { PageAttacks } from '../../ports.ts';
import type { PreviewLinks } from '../access/preview-links.ts';
import type { FilesContext } from '../files/change.ts';
import { type DraftRow, findDraft } from '../model/draft-store.ts';
import { findPage, lockPage } from '../model/page-store.ts';
import type { Warnings } from '../warnings/warnings.ts';

export interface DraftContext extends FilesContext {
  /** Makes links to drafts and versions. */
  previewLinks: PreviewLinks;
  attacks: Pick<PageAttacks, 'afterPublishing' | 'readLast'> & {
    /** Attacks a copy of a page with a change. */
    attackCopy(page: PageRow, by: Actor, change: (copy: PageRow) => Promise<void>): Promise<Finding[]>;
  };
  warnings: Pick<Warnings, 'find' | 'findInFiles' | 'findInRules'>;
}

/** A draft as a client names it. */
export interface DraftName {
  id: number;
  draft: number;
}

export const noDraft = () => notFound('This draft was not found.');

/** Finds a page and its draft, for somebody who can work on the page. */
export async function findOwnDraft(
  { db, directory }: Pick<DraftContext, 'db' | 'directory'>,
  actor: Actor | undefined,
  { id, draft }: DraftName,
  action: 'read' | 'write',
): Promise<{ page: PageRow; found: DraftRow }> {
  const page = await directory.require(db, await findPage(db, id), actor, action);
  return { page, found: await requireDraft(db, page, draft) };
}

/** Finds a page and its draft, and locks both until the transaction ends. */
export async function lockDraft(
  { directory }: Pick<DraftContext, 'directory'>,
  tx: Tx,
  actor: Actor,
  { id, draft }: DraftName,
  revision: number | undefined,
): Promise<{ page: PageRow; found: DraftRow }> {
  const page = await directory.require(tx, await lockPage(tx, id), actor, 'write');
  const found = await requireDraft(tx, page, draft);
  assertRevision(found, revision);
  return { page, found };
}

async function requireDraft(db: Db, page: PageRow, id: number): Promise<DraftRow> {
  const found = await findDraft(db, page.id, id);
  if (!found) throw noDraft();
  return found;
}

/** Refuses a change of another revision than the current one. */
export function assertRevision({ revision }: DraftRow, asked: number | undefined): void {
  if (asked === undefined || asked === revision) return;
  throw new AppError(
    'CONFLICT',
    'The draft has revision {revision}, not {asked}: someone saved it. Read it again, then save.',
    { revision: String(revision), asked: String(asked) },
    { body: { currentRevision: revision } },
  );
}

/** The address at which the draft of a page can be seen. Fails if there is no such draft. */
export async function makePreviewUrl(
  { db, previewLinks }: Pick<DraftContext, 'db' | 'previewLinks'>,
  page: PageRow,
  draft: number,
  { userId }: Actor,
): Promise<string> {
  await requireDraft(db, page, draft);
  return previewLinks.make(page, { draft, by: userId }).preview_url;
}
