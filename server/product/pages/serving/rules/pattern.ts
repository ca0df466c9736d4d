/** A path in a rule: names, `:placeholders` for one name each, and `*` at its end for all that follows. */
export class PathPattern {
  readonly #parts: string[];

  /** Throws a sentence that says what cannot be read. */
  constructor(written: string) {
    if (!written.startsWith('/')) throw new RuleFault('A path must begin with a slash.');
    this.#parts = toParts(written);
    if (this.#parts.slice(0, -1).some((part) => part === SPLAT) || /[^/]\*|\*./.test(written))
      throw new RuleFault('A * can only be the last part of a path.');
  }

  /** The values of placeholders, with `splat` for what `*` stands for. Undefined if the path does not fit. */
  match(path: string): Map<string, string> | undefined {
    const asked = toParts(`/${path}`);
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
export class RuleFault extends Error {}

const SPLAT = '*';

/** The names between the slashes. A slash at the end makes no difference. */
function toParts(path: string): string[] {
  return path.split('/').filter((part, at, all) => at > 0 && !(part === '' && at === all.length - 1));
}
