/** How many lines were added and taken away between two texts. */
interface LineChanges {
  added: number;
  removed: number;
}

/** Beyond this many changed lines the exact count costs too much; then lines are compared wherever they stand. */
const MAX_EDITS = 2_000;

export function lineChanges(before: string, after: string): LineChanges {
  const a = linesOf(before);
  const b = linesOf(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const left = a.slice(start, a.length - end);
  const right = b.slice(start, b.length - end);
  const edits = editsBetween(left, right);
  // Added and removed lines together are the edits, and their difference is that of the lengths.
  const added = (edits + right.length - left.length) / 2;
  return { added, removed: edits - added };
}

const linesOf = (text: string) => comparable(text).split('\n').slice(0, -1);

/**
 * A text as it is compared, for counting and for colouring alike: with a newline at its end, since a last line
 * without one would count as changed as soon as another follows it.
 */
export const comparable = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** The fewest insertions and deletions that lead from one list to the other: Myers' greedy algorithm. */
function editsBetween(a: string[], b: string[]): number {
  if (a.length === 0 || b.length === 0) return a.length + b.length;
  const limit = Math.min(a.length + b.length, MAX_EDITS);
  const offset = limit + 1;
  // How far into `a` one gets on each diagonal.
  const reached = new Int32Array(2 * offset + 1);
  for (let edits = 0; edits <= limit; edits++) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const below = reached[offset + diagonal + 1] ?? 0;
      const besides = reached[offset + diagonal - 1] ?? 0;
      const isDown = diagonal === -edits || (diagonal !== edits && besides < below);
      let x = isDown ? below : besides + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      reached[offset + diagonal] = x;
      if (x >= a.length && x - diagonal >= b.length) return edits;
    }
  }
  return editsAnywhere(a, b);
}

/** The same without regard to order: cheap, and near enough for texts that have little in common. */
function editsAnywhere(a: string[], b: string[]): number {
  const counts = new Map<string, number>();
  for (const line of a) counts.set(line, (counts.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of b) {
    const left = counts.get(line) ?? 0;
    if (left === 0) continue;
    counts.set(line, left - 1);
    common++;
  }
  return a.length + b.length - 2 * common;
}
