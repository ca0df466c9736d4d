import type { SearchQuery } from '@codemirror/search';
import type { EditorState } from '@codemirror/state';

/** Counting stops here: a large file can have a match at every character. */
export const MAX_COUNTED = 1_000;

export interface Matches {
  /** At most `MAX_COUNTED`. */
  count: number;
  /** Which of them is selected, from 1; 0 if none is. */
  at: number;
  /** True if there are more. */
  isMore: boolean;
}

/** How many places of the text match, and which one is selected. */
export function countMatches(query: SearchQuery, state: EditorState): Matches {
  const found = { count: 0, at: 0, isMore: false };
  if (!query.search || !query.valid) return found;
  const { from, to } = state.selection.main;
  const cursor = query.getCursor(state);
  for (let next = cursor.next(); !next.done; next = cursor.next()) {
    if (found.count === MAX_COUNTED) return { ...found, isMore: true };
    found.count++;
    if (next.value.from === from && next.value.to === to) found.at = found.count;
  }
  return found;
}
