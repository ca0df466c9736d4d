import type { Draft, LinkedDraft } from '../../../../contract/pages/drafts.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import type { PreviewLinks } from '../access/preview-links.ts';
import type { DraftRow } from '../model/draft-store.ts';

/** Drafts as the wire shapes of `contract/pages/drafts.ts`. */

export const toDraft = (row: DraftRow): Draft => ({
  id: row.id,
  note: row.note,
  base_version: row.base_version,
  revision: row.revision,
  size: row.size,
  author: row.author,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
});

/** A draft with the link with which anyone can see it, as long as this user can work on the page. */
export const toLinked = (row: DraftRow, page: PageRow, links: PreviewLinks, userId: number): LinkedDraft => ({
  ...toDraft(row),
  ...links.make(page, { draft: row.id, by: userId }),
});
