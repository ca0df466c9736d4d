/** How well a text fits what somebody typed. */
export interface Match {
  /** Higher is better. */
  score: number;
  /** The positions of the letters that fit. */
  letters: Set<number>;
  /** True if the letters of a word are not beside each other. */
  isScattered: boolean;
}

const WHOLE = 120;
const WORD = 100;
const INSIDE = 60;
const SCATTERED = 25;
/** Longer texts are not searched further, so that no text can take long. */
const MOST_LETTERS = 200;

/** Matches every word of the query, in any order: as a part of the text, or as letters in the same order. */
export function match(text: string, query: string): Match | undefined {
  const lower = text.slice(0, MOST_LETTERS).toLowerCase();
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const letters = new Set<number>();
  let score = 0;
  let isScattered = false;
  for (const word of words) {
    const found = matchWord(lower, word);
    if (!found) return undefined;
    score += found.score;
    isScattered ||= found.isScattered;
    for (const position of found.positions) letters.add(position);
  }
  // Among equal ones, the shorter text is closer to what was typed.
  const mean = words.length === 0 ? 0 : score / words.length - lower.length / MOST_LETTERS;
  return { score: mean, letters, isScattered };
}

interface WordMatch {
  score: number;
  positions: number[];
  isScattered: boolean;
}

function matchWord(text: string, word: string): WordMatch | undefined {
  const starts = startOfWord(text, word);
  const at = starts >= 0 ? starts : text.indexOf(word);
  if (at >= 0) {
    const score = text === word ? WHOLE : starts >= 0 ? WORD - Math.min(at, 20) : INSIDE - Math.min(at, 20);
    return { score, positions: Array.from(word, (_, index) => at + index), isScattered: false };
  }
  // One or two scattered letters fit almost anything.
  return word.length < 3 ? undefined : scattered(text, word);
}

/** Where the word begins a word of the text, or -1. */
function startOfWord(text: string, word: string): number {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return at;
  }
  return -1;
}

function scattered(text: string, word: string): WordMatch | undefined {
  const positions: number[] = [];
  let at = -1;
  for (const letter of word) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return undefined;
    positions.push(at);
  }
  const spread = at - (positions[0] ?? 0) + 1;
  // Letters that are far apart are there by chance.
  if (spread > word.length * 3) return undefined;
  return { score: (SCATTERED * word.length) / spread, positions, isScattered: true };
}
