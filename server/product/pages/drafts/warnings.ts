import type { PageWarning } from '../../../../contract/pages/warnings.ts';
import type { Actor } from '../../../platform/http/index.ts';
import { readManifest } from '../files/store.ts';
import type { DraftRow } from '../model/draft-store.ts';
import type { DraftContext } from './find.ts';

/** The warnings about the document of a draft, which has files of its own. */
export function warningsAbout(
  { db, warnings }: Pick<DraftContext, 'db' | 'warnings'>,
  actor: Actor,
  draft: DraftRow,
  html: string,
): Promise<PageWarning[]> {
  return warnings.find(html, actor.userId, draft.page_id, {
    read: () => readManifest(db, draft.manifest_id),
    path: `/api/pages/${draft.page_id}/drafts/${draft.id}/files`,
  });
}
