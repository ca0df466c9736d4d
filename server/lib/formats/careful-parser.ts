type Acorn = typeof import('acorn');

/** The most named groups of a regular expression. With two thousand, the engine compiles it for a second without a pause. */
const MAX_NAMES = 100;
/** The most labels around one statement. The parser compares each with all others. */
const MAX_LABELS = 1_000;
/** The most comparisons of names in one script: about a second of work. */
const MAX_COMPARED = 1e8;
/** What it costs to note a name in one block, in comparisons: a `var` is noted in each block of its function. */
const NOTED = 20;

/** How the parser marks what declares a name with `let`, `const` or `class`, and scopes that end a `var`. */
const LEXICAL = 2;
const ENDS_VAR = 1 | 2 | 256;

interface Scope {
  flags: number;
  var: string[];
  lexical: string[];
  functions: string[];
}

/** What the parser has besides its types. */
interface Inner {
  labels: unknown[];
  scopeStack: Scope[];
  validateRegExpPattern(state: { groupNames: object }): void;
  parseLabeledStatement(...given: unknown[]): unknown;
  declareName(name: string, kind: number, at: number): void;
  checkLocalExport(id: object): void;
}

/** A parser for scripts of others, which gives up on what would take long. */
export function carefulParser({ Parser: Base }: Acorn): Acorn['Parser'] {
  const Parser = Base as unknown as new (...given: unknown[]) => Inner;
  const Careful = class extends Parser {
    #compared = 0;

    override validateRegExpPattern(state: { groupNames: object }): void {
      super.validateRegExpPattern(state);
      if (Object.keys(state.groupNames).length > MAX_NAMES) throw tooMany();
    }

    override parseLabeledStatement(...given: unknown[]): unknown {
      if (this.labels.length >= MAX_LABELS) throw tooMany();
      return super.parseLabeledStatement(...given);
    }

    override declareName(name: string, kind: number, at: number): void {
      for (let index = this.scopeStack.length - 1; index >= 0; index--) {
        const { flags, lexical, functions, var: variables } = this.scopeStack[index] as Scope;
        const compared = lexical.length + functions.length + (kind === LEXICAL ? variables.length : 0);
        this.#spend(NOTED + compared);
        if (kind === LEXICAL || flags & ENDS_VAR) break;
      }
      super.declareName(name, kind, at);
    }

    override checkLocalExport(id: object): void {
      const [top] = this.scopeStack;
      this.#spend((top?.lexical.length ?? 0) + (top?.var.length ?? 0));
      super.checkLocalExport(id);
    }

    #spend(compared: number): void {
      this.#compared += compared;
      if (this.#compared > MAX_COMPARED) throw tooMany();
    }
  };
  return Careful as unknown as Acorn['Parser'];
}

const tooMany = () => new RangeError('too many names');
