import { draftStorage } from '../../drafts.ts';
import { me } from '../../session.ts';

/** Code that has not been deployed. */
export const draftsOf = (slug: string) => draftStorage(`${me.value?.id}-function-${slug}`);

/** Removes the draft of a deleted function, so that a new function with the same slug starts without it. */
export function dropDraft(slug: string): void {
  const drafts = draftsOf(slug);
  drafts.read();
  drafts.discard();
}
