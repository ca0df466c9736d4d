/** A part of the base that a side has replaced, in lines. */
interface Edit {
  from: number;
  to: number;
  lines: string[];
}

/** The result of a merge, or the number of places where both sides did something else. */
export type MergedText = { text: string } | { conflicts: number };

/** Texts with more lines are compared as a whole. */
const MAX_LINES = 50_000;
/** How long two texts are compared exactly. After that, the difference is larger than it need be, but not wrong. */
const EXACT_MS = 10;
/** The letters that stand for lines leave out surrogates, which only count in pairs. */
const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/** Merges two changes of a text. Undefined if the texts are too long to compare them by line. */
export async function mergeLines(base: string, one: string, other: string): Promise<MergedText | undefined> {
  const texts = [base, one, other].map(splitLines);
  const [baseLines = [], oneLines = [], otherLines = []] = texts;
  const letters = new Map<string, string>();
  const encoded: string[] = [];
  for (const lines of texts) {
    let text = '';
    for (const line of lines) {
      const known = letters.get(line) ?? toLetter(letters.size);
      if (letters.size > MAX_LINES || lines.length > MAX_LINES) return undefined;
      letters.set(line, known);
      text += known;
    }
    encoded.push(text);
  }
  const [baseText = '', oneText = '', otherText = ''] = encoded;
  const ours = await findEdits(baseText, oneText, oneLines);
  const theirs = await findEdits(baseText, otherText, otherLines);
  return combine(baseLines, ours, theirs);
}

/** Lines with their ends, so that joining them gives the text again. */
const splitLines = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const toLetter = (index: number) => String.fromCharCode(index < FIRST_SURROGATE ? index : index + SURROGATES);

async function findEdits(base: string, changed: string, lines: string[]): Promise<Edit[]> {
  // Loaded when it is needed first: most servers merge nothing.
  const { diff } = await import('@codemirror/merge');
  return diff(base, changed, { scanLimit: 5_000, timeout: EXACT_MS }).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    lines: lines.slice(fromB, toB),
  }));
}

/** Applies the edits of both sides. Those that touch the same lines, or lines next to each other, have to be equal. */
function combine(base: string[], ours: Edit[], theirs: Edit[]): MergedText {
  const merged: string[] = [];
  let [at, i, j, conflicts] = [0, 0, 0, 0];
  while (i < ours.length || j < theirs.length) {
    const [one, other] = [ours[i], theirs[j]];
    const from = Math.min(one?.from ?? Number.POSITIVE_INFINITY, other?.from ?? Number.POSITIVE_INFINITY);
    let to = from;
    const group = { ours: [] as Edit[], theirs: [] as Edit[] };
    for (let grew = true; grew; ) {
      grew = false;
      for (let next = ours[i]; next && next.from <= to; next = ours[++i]) {
        group.ours.push(next);
        to = Math.max(to, next.to);
        grew = true;
      }
      for (let next = theirs[j]; next && next.from <= to; next = theirs[++j]) {
        group.theirs.push(next);
        to = Math.max(to, next.to);
        grew = true;
      }
    }
    merged.push(...base.slice(at, from));
    const mine = replace(base, from, to, group.ours);
    const yours = replace(base, from, to, group.theirs);
    if (group.ours.length > 0 && group.theirs.length > 0 && mine.join('') !== yours.join('')) conflicts++;
    for (const line of group.ours.length > 0 ? mine : yours) merged.push(line);
    at = to;
  }
  for (const line of base.slice(at)) merged.push(line);
  return conflicts > 0 ? { conflicts } : { text: merged.join('') };
}

function replace(base: string[], from: number, to: number, edits: Edit[]): string[] {
  const lines: string[] = [];
  let at = from;
  for (const edit of edits) {
    lines.push(...base.slice(at, edit.from), ...edit.lines);
    at = edit.to;
  }
  lines.push(...base.slice(at, to));
  return lines;
}
