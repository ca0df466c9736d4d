import { draftPlace } from '../../drafts.ts';

/** Code that is not deployed yet. A function is its owner's alone, and nobody else gets to its editor. */
export const draftsOf = (slug: string) => draftPlace(`function-${slug}`);

/** For a function that is gone: the next one of that name begins without its draft. */
export function dropDraft(slug: string): void {
  const drafts = draftsOf(slug);
  drafts.read();
  drafts.forget();
}
