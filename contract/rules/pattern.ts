import { RE2JS } from 're2js';

/** Patterns of owners, which always run in linear time: https://github.com/google/re2/wiki/WhyRE2 */

const MAX_STEPS = 1_000;
/** The most repetitions in a pattern. Checked first, because more of them take long to compile. */
const MAX_REPEATS = 1_000;
const MAX_CLASSES = 20;
/** Characters in the ranges of patterns that ignore case: the other cases of each are looked up. */
const MAX_FOLDED = 100_000;
/** Matching takes time by the pattern's steps times the text's length; this much is a few hundredths of a second. */
const MAX_MATCH_WORK = 5_000_000;
const MAX_REMEMBERED = 200;

const remembered = new Map<string, RE2JS | undefined>();

/** Compiles a pattern. Undefined if it is not valid, or too large. */
export function compilePattern(source: string): RE2JS | undefined {
  if (remembered.has(source)) return remembered.get(source);
  const compiled = isModest(source) ? compile(source) : undefined;
  const [oldest] = remembered.keys();
  if (remembered.size >= MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  remembered.set(source, compiled);
  return compiled;
}

/** Whether a pattern takes little time to compile, or several that are joined. */
export function isModest(source: string): boolean {
  const repeats = [...source.matchAll(/\{\d*,?(\d*)/g)].flatMap((match) => match[0].match(/\d+/g) ?? []);
  const classes = source.match(/\\[pP]|\(\?[a-z]*i/g) ?? [];
  return (
    repeats.reduce((sum, count) => sum + Number(count), 0) <= MAX_REPEATS &&
    classes.length <= MAX_CLASSES &&
    countFolded(source) <= MAX_FOLDED
  );
}

/** At most how many characters the ranges have, if the case of letters is ignored. */
function countFolded(source: string): number {
  if (!/\(\?[a-z]*i/i.test(source)) return 0;
  const ends = [...source.matchAll(/-(?:\\x\{([0-9a-f]+)\}|([^\\]))/giu)];
  return ends.reduce(
    (sum, [, hex, letter = '']) =>
      sum + (hex === undefined ? (letter.codePointAt(0) ?? 0) : Number.parseInt(hex, 16)),
    0,
  );
}

function compile(source: string): RE2JS | undefined {
  try {
    const compiled = RE2JS.compile(source);
    return compiled.programSize() <= MAX_STEPS ? compiled : undefined;
  } catch {
    return undefined;
  }
}

/** Looks for a pattern anywhere in a text. */
export type Matcher = (source: string, text: string) => 'matches' | 'differs' | 'too long';

/** Creates the matcher of one record. All its texts together can use `MAX_MATCH_WORK`. */
export function createMatcher(): Matcher {
  let work = 0;
  return (source, text) => {
    const compiled = compilePattern(source);
    // Matching takes time even if the text is empty.
    work += (compiled?.programSize() ?? 0) * (text.length + 10);
    if (!compiled || work > MAX_MATCH_WORK) return 'too long';
    return compiled.matcher(text).find() ? 'matches' : 'differs';
  };
}
