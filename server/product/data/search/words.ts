/**
 * The words of a text, as searches compare them: the same on both engines, because it is decided here. When this
 * changes, a migration has to let all searches be built again.
 */

export interface Word {
  /** Without capital letters and accents. */
  plain: string;
  /** As `plain`, with ae, oe and ue for ä, ö and ü. */
  german: string;
  /** Where it is in the text. */
  from: number;
  to: number;
  /** Scripts without spaces: every two characters in a row are a word, and so is the last character. */
  script?: 'pair' | 'last' | 'only';
}

/** Letters of a word that are compared. */
const MAX_LETTERS = 64;

/** Letters and numbers with their marks, flags, and other signs such as emoji, one at a time. */
const PARTS = /[\p{L}\p{N}\p{M}\u00ad\u200c\u200d]+|\p{RI}{2}|\p{Extended_Pictographic}/gu;
/** Hyphens that are only shown at the end of a line, and what joins letters. */
const INVISIBLE = /[\u00ad\u200c\u200d]/g;
/** More marks of one letter than any language has. To sort them would take a time that grows with their square. */
const MANY_MARKS = /(\p{M}{30})\p{M}+/gu;
/** Accents of European scripts, points of Hebrew and Arabic. Marks of other scripts are parts of their words. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g;
const LETTERS: Record<string, string> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h' },
  // The i of Turkish without a dot, and the s of Greek at the end of a word.
  ...{ ı: 'i', ς: 'σ' },
};
const OTHER_LETTERS = /[ßæœøłđðþħıς]/g;
const UMLAUTS: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue' };

/** Thai, Lao, Burmese, Khmer, Japanese and Chinese: runs of scripts without spaces, and what is between them. */
const UNSPACED =
  '\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u2e80-\\u2fdf\\u3005-\\u3007\\u3021-\\u3029\\u3031-\\u303b\\u3041-\\u312f\\u31a0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{323af}';
const SCRIPTS = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu');
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
const IS_ASCII = /^[a-z0-9]+$/;
/** Letters of Latin, Greek and Cyrillic, which always make words with spaces between them: all but ŀ, which is l·. */
const IS_EUROPEAN = /^[a-z0-9\u00df-\u013e\u0141-\u024f\u0386-\u03ce\u0430-\u045f]+$/;
const HAS_CONTENT = /[\p{L}\p{N}\p{RI}\p{Extended_Pictographic}]/u;
const BETWEEN = /[^\p{L}\p{N}\p{M}\p{RI}\p{Extended_Pictographic}]+/u;

export function* readWords(text: string): Generator<Word> {
  for (const { 0: part, index: from } of text.matchAll(PARTS)) {
    const to = from + part.length;
    const lower = part.toLowerCase();
    if (IS_ASCII.test(lower)) yield toWord(lower, lower, { from, to });
    else if (IS_EUROPEAN.test(lower)) {
      const plain = fold(lower);
      const german = spellGerman(lower);
      yield toWord(plain, german === lower ? plain : fold(german), { from, to });
    } else yield* readPart(part, { from, to });
  }
}

interface Place {
  from: number;
  to: number;
}

function* readPart(part: string, place: Place): Generator<Word> {
  const visible = part.replace(INVISIBLE, '').replace(MANY_MARKS, '$1');
  const withUmlauts = visible.normalize('NFC').toLowerCase();
  const german = fold(spellGerman(withUmlauts)).split(BETWEEN);
  // Some characters stand for several words, such as ½.
  for (const [at, plain] of fold(withUmlauts).split(BETWEEN).entries()) {
    const runs = plain.match(SCRIPTS) ?? [];
    let start = place.from;
    for (const run of runs) {
      // If folding has changed no length, it is known where in the part a run is.
      const own = plain.length === part.length ? { from: start, to: start + run.length } : place;
      start += run.length;
      if (IS_UNSPACED.test(run)) yield* readPairs(run, own);
      else if (HAS_CONTENT.test(run)) yield toWord(run, runs.length === 1 ? (german[at] ?? run) : run, own);
    }
  }
}

const spellGerman = (text: string) => text.replace(/[äöü]/g, (letter) => UMLAUTS[letter] ?? letter);

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(OTHER_LETTERS, (letter) => LETTERS[letter] ?? letter);
}

function* readPairs(run: string, place: Place): Generator<Word> {
  const isExact = run.length === place.to - place.from;
  const characters = [...run];
  let from = place.from;
  for (const [at, character] of characters.entries()) {
    const next = characters[at + 1];
    const pair = character + (next ?? '');
    const script = next === undefined ? (at === 0 ? 'only' : 'last') : 'pair';
    const to = isExact ? from + pair.length : place.to;
    yield { plain: pair, german: pair, from: isExact ? from : place.from, to, script };
    from += character.length;
  }
}

const toWord = (plain: string, german: string, { from, to }: Place): Word => ({
  plain: cut(plain),
  german: cut(german),
  from,
  to,
});

/** A character of two units is not cut in half. */
const cut = (word: string) =>
  word.length <= MAX_LETTERS ? word : word.slice(0, MAX_LETTERS).replace(/[\ud800-\udbff]$/, '');
