import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';

/** The number of lines that were added and removed between two texts. */
export interface LineChanges {
  added: number;
  removed: number;
}

/** Bounds the time for texts that have little in common. The editor's own view of changes uses the same limit. */
export const DIFF_LIMITS = { scanLimit: 500 };

/** Counts the lines that the editor marks as changed. */
export function lineChanges(before: string, after: string): LineChanges {
  const [a, b] = [toText(before), toText(after)];
  const changes = { added: 0, removed: 0 };
  for (const { fromA, toA, endA, fromB, toB, endB } of Chunk.build(a, b, DIFF_LIMITS)) {
    if (toA > fromA) changes.removed += countLines(a, fromA, endA);
    if (toB > fromB) changes.added += countLines(b, fromB, endB);
  }
  return changes;
}

/**
 * Adds the newline that is missing at the end of a text. Without it, the last line counts as changed as soon as another
 * line follows it.
 */
export const withFinalNewline = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

const toText = (text: string) => Text.of(withFinalNewline(text).split('\n'));

const countLines = (text: Text, from: number, end: number) =>
  text.lineAt(Math.min(end, text.length)).number - text.lineAt(from).number + 1;
