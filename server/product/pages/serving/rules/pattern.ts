import { phrase, type Text } from '../../../../../contract/rules/texts/fill.ts';
/** A path in a rule: names, `:placeholders` for one name each, and `*` at its end for all that follows. */
export class PathPattern {
  readonly #parts: string[];

  /** Throws a sentence that says what cannot be read. */
  constructor(written: string) {
    if (!written.startsWith('/')) throw new RuleFault(phrase('A path must begin with a slash.'));
    this.#parts = splitPath(written.slice(1));
    if (this.#parts.slice(0, -1).some((part) => part === SPLAT) || /[^/]\*|\*./.test(written))
      throw new RuleFault(phrase('A * can only be the last part of a path.'));
  }

  /** The values of placeholders, with `splat` for what `*` stands for. Undefined if the path does not fit. */
  match(asked: string[]): Map<string, string> | undefined {
    const values = new Map<string, string>();
    for (const [at, part] of this.#parts.entries()) {
      if (part === SPLAT) return values.set('splat', asked.slice(at).join('/'));
      const name = asked[at];
      if (name === undefined) return undefined;
      if (part.startsWith(':')) values.set(part.slice(1), name);
      else if (part !== name) return undefined;
    }
    return asked.length === this.#parts.length ? values : undefined;
  }
}

/** What is wrong with a line of a rule, as a sentence. */
export class RuleFault extends Error {
  constructor(readonly reason: Text) {
    super(reason.text);
  }
}

const SPLAT = '*';

/** Longer paths than files can have fit no rule. Strangers choose them, and every rule is compared with them. */
const MAX_PATH = 1_000;
const MAX_PARTS = 50;

/** The names of a path that rules are compared with; undefined if none fits. */
export function toParts(path: string): string[] | undefined {
  const parts = path.length > MAX_PATH ? [] : splitPath(path);
  return path.length > MAX_PATH || parts.length > MAX_PARTS ? undefined : parts;
}

/** The names between the slashes. A slash at the end makes no difference. */
function splitPath(path: string): string[] {
  const parts = path.split('/');
  return parts.at(-1) === '' ? parts.slice(0, -1) : parts;
}
