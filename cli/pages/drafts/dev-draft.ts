import { hostname } from 'node:os';
import { basename } from 'node:path';
import { sessionEndpoints } from '../../../contract/accounts/session-endpoints.ts';
import { draftEndpoints } from '../../../contract/pages/draft-endpoints.ts';
import type { LinkedDraft } from '../../../contract/pages/drafts.ts';
import { MAX_NOTE } from '../../../contract/rules/limits.ts';
import type { Api } from '../../client/api.ts';
import type { PageFolder } from '../../project/folder.ts';
import { CommandError } from '../../usage.ts';

/** The note on the draft that `quire dev` works on: one for each machine and folder. */
export const devNote = ({ folder }: PageFolder): string =>
  `quire dev on ${hostname()}: ${basename(folder)}`.slice(0, MAX_NOTE).trim();

/** The draft that `quire dev` has left. */
export async function findDevDraft(api: Api, page: PageFolder, id: number): Promise<LinkedDraft | undefined> {
  const note = devNote(page);
  const { drafts } = await api.call(draftEndpoints.listDrafts, { params: { id } });
  const found = drafts.filter((draft) => draft.note === note);
  if (found.length === 0) return undefined;
  const { user } = await api.call(sessionEndpoints.getMe, {});
  return found.find(({ author }) => author === user.username);
}

/** Removes the draft of `quire dev`, after a push has published what it has. */
export async function removeDevDraft(api: Api, page: PageFolder, id: number): Promise<void> {
  try {
    const draft = await findDevDraft(api, page, id);
    if (draft) await api.call(draftEndpoints.deleteDraft, { params: { id, draft: draft.id } });
  } catch (error) {
    // The page is published, and a draft that stays harms nobody. A token may be allowed to do only the first.
    if (!(error instanceof CommandError)) throw error;
  }
}
