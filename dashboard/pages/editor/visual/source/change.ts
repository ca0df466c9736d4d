/** Replaces a part of a text. Positions count UTF-16 units. */
export interface Change {
  from: number;
  to: number;
  insert: string;
}

/** The text after changes that do not overlap, in any order. All positions are those of the text before. */
export function applyChanges(text: string, changes: readonly Change[]): string {
  let result = text;
  for (const { from, to, insert } of [...changes].sort((a, b) => b.from - a.from))
    result = result.slice(0, from) + insert + result.slice(to);
  return result;
}

/** What takes these changes back, in the text that they made. */
export function invertChanges(text: string, changes: readonly Change[]): Change[] {
  let shift = 0;
  return [...changes]
    .sort((a, b) => a.from - b.from)
    .map(({ from, to, insert }) => {
      const at = from + shift;
      shift += insert.length - (to - from);
      return { from: at, to: at + insert.length, insert: text.slice(from, to) };
    });
}
