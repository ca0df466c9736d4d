type Acorn = typeof import('acorn');

/** The engine takes a second to compile a regular expression with two thousand names, and cannot be interrupted. */
const MAX_NAMES = 100;

interface RegExpParser {
  validateRegExpPattern(state: { groupNames: object }): void;
}

/** A parser for scripts of others, which gives up on such a regular expression before it compiles it. */
export function carefulParser({ Parser: Base }: Acorn): Acorn['Parser'] {
  const Parser = Base as unknown as new (...given: unknown[]) => RegExpParser;
  const Careful = class extends Parser {
    override validateRegExpPattern(state: { groupNames: object }): void {
      super.validateRegExpPattern(state);
      if (Object.keys(state.groupNames).length > MAX_NAMES) throw new RangeError('too many names');
    }
  };
  return Careful as unknown as Acorn['Parser'];
}
