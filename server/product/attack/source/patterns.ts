import { compilePattern } from '../../../../contract/rules/pattern.ts';

/** Texts that match the patterns of schemas. */

/** What texts are made of, the plainest first. */
const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const LETTERS = [...PLAIN, ...` -_.@+/#:,;'!?&()=%*äöüß\n\t`];
const MAX_REPEATS = 60;
/** How often something is repeated beyond the least: at random up to so often, then exactly so often. */
const EXTRA = [8, 4, 2, 8, 16, 32].map((upTo) => () => Math.floor(Math.random() * (upTo + 1)));
const EXACTLY = Array.from({ length: MAX_REPEATS + 1 }, (_, often) => () => often);
const MAX_LENGTH = 400;
const MAX_REMEMBERED = 200;
/** Characters that are not letters in a pattern. */
const EMPTY = /^(?:[\^$]|\\[bBAzZ])/;
const CLASS =
  /^(?:\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\\[pP](?:\{[^}]*\}|.)|\\x(?:\{[^}]*\}|..)|\\[A-Za-z0-9]|\.)/;
const REPEAT = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/;

/**
 * A text that matches a pattern, different each time if the pattern has room for that; undefined if none was found, or
 * none has such a length.
 */
export function inventMatch(
  pattern: string,
  { minLength = 0, maxLength = MAX_LENGTH }: { minLength?: number; maxLength?: number } = {},
): string | undefined {
  const compiled = compilePattern(pattern);
  if (!compiled) return undefined;
  for (const extra of [...EXTRA, ...EXACTLY]) {
    const text = new Writer(pattern, extra, { left: MAX_LENGTH }).write();
    if (text.length < minLength || text.length > maxLength) continue;
    if (compiled.matcher(text).find()) return text;
  }
  return undefined;
}

/** Whether a text with `<` in it matches: without that, no text can be a script in HTML. */
export function takesMarkup(pattern: string, sample: string): boolean {
  const compiled = compilePattern(pattern);
  if (!compiled) return true;
  return Array.from({ length: Math.min(sample.length, 40) + 1 }, (_, at) => at).some((at) =>
    [sample.slice(at), sample.slice(at + 1)].some((rest) =>
      compiled.matcher(`${sample.slice(0, at)}<${rest}`).find(),
    ),
  );
}

/** Writes one text for a pattern, from left to right. */
class Writer {
  #rest: string;

  constructor(
    pattern: string,
    /** How often something is repeated beyond the least. */
    private readonly extra: () => number,
    /** The letters that can still be written by all who write a part of the text. */
    private readonly budget: { left: number },
  ) {
    this.#rest = pattern;
  }

  write(): string {
    const branches = [''];
    while (this.#rest !== '' && this.#rest[0] !== ')') {
      if (this.#rest[0] === '|') {
        this.#take(1);
        branches.push('');
      } else branches.push(`${branches.pop() ?? ''}${this.#writePiece()}`);
    }
    return branches[Math.floor(Math.random() * branches.length)] ?? '';
  }

  /** A letter, a class or a group, as often as it is repeated. */
  #writePiece(): string {
    const anchor = EMPTY.exec(this.#rest)?.[0];
    if (anchor) {
      this.#take(anchor.length);
      return '';
    }
    const start = this.#rest;
    let text = this.#writeOnce();
    const piece = start.slice(0, start.length - this.#rest.length);
    const times = this.#readTimes();
    if (times === 0) return '';
    for (let done = 1; done < times && this.budget.left-- > 0; done++)
      text += new Writer(piece, this.extra, this.budget).#writeOnce();
    return text;
  }

  #writeOnce(): string {
    if (this.#rest[0] === '(') {
      // Flags alone, such as (?i), have no text.
      const [flags] = /^\(\?[a-zA-Z-]*\)/.exec(this.#rest) ?? [];
      if (flags) {
        this.#take(flags.length);
        return '';
      }
      const [opening = '('] = /^\((?:\?(?:P?<\w+>|[a-zA-Z-]*:))?/.exec(this.#rest) ?? [];
      this.#take(opening.length);
      const inner = new Writer(this.#rest, this.extra, this.budget);
      const text = inner.write();
      this.#rest = inner.#rest;
      this.#take(1);
      return text;
    }
    const found = CLASS.exec(this.#rest)?.[0];
    if (found) {
      this.#take(found.length);
      return chooseFrom(found);
    }
    const [literal = ''] = /^\\?[\s\S]/.exec(this.#rest) ?? [];
    this.#take(literal.length);
    return literal.slice(-1);
  }

  #readTimes(): number {
    const [whole, least, comma, most] = REPEAT.exec(this.#rest) ?? [];
    if (whole === undefined) return 1;
    this.#take(whole.length);
    const fewest = least === undefined ? Number(whole[0] === '+') : Number(least);
    const any = whole[0] === '?' ? 1 : MAX_REPEATS;
    const highest = least === undefined ? any : comma ? Number(most || MAX_REPEATS) : fewest;
    return Math.min(fewest + this.extra(), Math.max(highest, fewest));
  }

  #take(letters: number): void {
    this.#rest = this.#rest.slice(letters);
  }
}

const remembered = new Map<string, readonly string[]>();

/** A letter of a class, a plain one if there is one. */
function chooseFrom(source: string): string {
  const letters = remembered.get(source) ?? listLetters(source);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(source, letters);
  return letters[Math.floor(Math.random() * letters.length)] ?? '';
}

function listLetters(source: string): readonly string[] {
  const compiled = compilePattern(`^${source}$`);
  const fitting = LETTERS.filter((letter) => compiled?.matcher(letter).find());
  const plain = fitting.filter((letter) => PLAIN.includes(letter));
  return plain.length > 0 ? plain : fitting;
}
