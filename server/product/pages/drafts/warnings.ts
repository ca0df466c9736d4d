import type { PageWarning } from '../../../../contract/pages/warnings.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Manifest } from '../files/manifest.ts';
import { readManifest } from '../files/store.ts';
import type { DraftRow } from '../model/draft-store.ts';
import type { DraftContext } from './find.ts';

/** What was saved in a draft. */
interface Saved {
  html?: string | undefined;
  /** The files beside the document that are new or different. */
  newFiles?: Manifest;
}

/** The warnings about what was saved in a draft, which has files of its own. */
export async function warningsAbout(
  { db, warnings }: Pick<DraftContext, 'db' | 'warnings'>,
  actor: Actor,
  draft: DraftRow,
  { html, newFiles }: Saved,
): Promise<PageWarning[]> {
  const files = {
    read: () => readManifest(db, draft.manifest_id),
    path: `/api/pages/${draft.page_id}/drafts/${draft.id}/files`,
  };
  return [
    ...(html === undefined ? [] : await warnings.find(html, actor.userId, draft.page_id, files)),
    ...(newFiles ? await warnings.findInFiles(newFiles, actor.userId, draft.page_id, files) : []),
  ];
}
