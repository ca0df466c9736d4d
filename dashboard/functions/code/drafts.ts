import { draftStorage } from '../../drafts.ts';
import { me } from '../../session.ts';

/** Code that is not deployed yet. */
export const draftsOf = (slug: string) => draftStorage(`${me.value?.id}-function-${slug}`);

/** For a function that is gone: the next one of that name begins without its draft. */
export function dropDraft(slug: string): void {
  const drafts = draftsOf(slug);
  drafts.read();
  drafts.discard();
}
