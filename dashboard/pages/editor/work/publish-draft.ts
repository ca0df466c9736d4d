import { ApiError } from '../../../api.ts';
import { getPage } from '../../api.ts';
import { publishDraft } from '../../drafts/api.ts';
import type { KnownPage } from './known-page.ts';

/** The page has another version than the one that the draft was started from. */
export interface MovedOn {
  version: number;
  html: string;
  note: string | undefined;
}

export interface PublishWish {
  note?: string | undefined;
  /** The version that the person has seen, if it is not that of the draft. */
  baseVersion?: number | undefined;
}

/** Publishes the open draft. Returns what is published instead if the page has moved on. */
export async function publishOpenDraft(
  pageId: number,
  known: KnownPage,
  { note, baseVersion }: PublishWish,
): Promise<{ version: number } | { movedOn: MovedOn }> {
  const { draft } = known;
  if (!draft) throw new Error('No draft is open.');
  try {
    const { version } = await publishDraft(pageId, draft.id, {
      revision: draft.revision,
      ...(note && { note }),
      ...(baseVersion !== undefined && { base_version: baseVersion }),
    });
    known.draft = undefined;
    await known.refresh();
    return { version };
  } catch (error) {
    if (!(error instanceof ApiError) || error.body.currentVersion === undefined) throw error;
    const { html_content, versionCount } = await getPage(pageId);
    return { movedOn: { version: versionCount, html: html_content, note } };
  }
}
