import type { Token } from 'acorn';
import { carefulParser } from '../../../lib/formats/careful-parser.ts';
import { fileBesidePage, functionSlugIn } from './addresses.ts';

/** Something in a script, with its place in the script. */
export type ScriptFinding =
  | { kind: 'syntax'; message: string; at: number }
  | { kind: 'call'; slug: string; at: number }
  /** A module is relative to what imports it, and everything else to the document. */
  | { kind: 'file'; path: string; at: number; isImport?: true }
  | { kind: 'too deep'; at: number };

type Acorn = typeof import('acorn');

/** The names of the object that has the browser's own `fetch`. */
const GLOBALS = new Set(['window', 'self', 'globalThis']);

/**
 * Reads a script as a browser would, without running it: what is wrong with it, which functions it calls and which
 * files it loads by an address that is written in it.
 */
export function readScript(
  acorn: Acorn,
  code: string,
  options: { isModule: boolean; baseUrl: string },
): ScriptFinding[] {
  const reader = new TokenReader(options.baseUrl);
  try {
    carefulParser(acorn).parse(code, {
      ecmaVersion: 'latest',
      sourceType: options.isModule ? 'module' : 'script',
      onToken: (token) => reader.read(token),
    });
  } catch (error) {
    reader.found.push(toFinding(error));
  }
  return reader.found;
}

/** Reads a script file. What loads it decides whether it is a module, so it has an error only if it cannot be either. */
export function readScriptFile(acorn: Acorn, code: string, baseUrl: string): ScriptFinding[] {
  const isBroken = (found: ScriptFinding[]) => found.some(({ kind }) => kind === 'syntax');
  const asModule = readScript(acorn, code, { isModule: true, baseUrl });
  if (!isBroken(asModule)) return asModule;
  const asScript = readScript(acorn, code, { isModule: false, baseUrl });
  return isBroken(asScript) && /^\s*(?:import|export)\b/m.test(code) ? asModule : asScript;
}

function toFinding(error: unknown): ScriptFinding {
  const { pos = 0, message } = error as { pos?: number; message: string };
  // The parser calls itself for each level of nesting.
  if (error instanceof RangeError || message.startsWith('Not enough stack'))
    return { kind: 'too deep', at: pos };
  if (!(error instanceof SyntaxError)) throw error;
  // The parser adds the line and column within the script.
  return { kind: 'syntax', message: message.replace(/ \(\d+:\d+\)$/, ''), at: pos };
}

/** Finds literal addresses in the tokens of a script. What follows one decides whether it is the whole address. */
class TokenReader {
  readonly found: ScriptFinding[] = [];
  /** The labels or names of the last five tokens, the latest first. */
  private before: string[] = ['', '', '', '', ''];
  private waiting: { text: string; at: number; context: string[] } | undefined;

  constructor(private readonly baseUrl: string) {}

  read(token: Token): void {
    const { label } = token.type;
    const { value } = token as Token & { value?: unknown };
    if (this.waiting) this.decide(label, this.waiting);
    this.waiting = undefined;
    if ((label === 'string' || label === 'template') && typeof value === 'string') {
      // In front of the text of a template is its backquote.
      const context = label === 'template' ? this.before.slice(1) : this.before;
      const isBeginning = label === 'string' || this.before[0] === '`';
      if (isBeginning) this.waiting = { text: value, at: token.start, context };
    }
    const word = label === 'name' && typeof value === 'string' ? value : label;
    this.before = [word, ...this.before.slice(0, 4)];
  }

  private decide(next: string, { text, at, context }: NonNullable<TokenReader['waiting']>): void {
    // `'/api/functions/' + slug` and `/api/functions/${slug}` have only the beginning here.
    const isWhole = next !== '+/-' && next !== '${';
    const slug = functionSlugIn(isWhole ? text : wholePart(text), this.baseUrl);
    if (slug !== undefined) this.found.push({ kind: 'call', slug, at });
    if (!isWhole) return;
    const [previous, second, third, fourth] = context;
    const isArgument = previous === '(' && (next === ')' || next === ',' || next === '`');
    const isMethod = third === '.';
    if (isArgument && isMethod && fourth === 'PageFunctions') {
      if (second === 'call' || second === 'fetch') this.found.push({ kind: 'call', slug: text, at });
      return;
    }
    const isImport = previous === 'import' || previous === 'from' || (isArgument && second === 'import');
    // Others have a method with this name too, whose argument is not an address of the page.
    const isFetch = isArgument && second === 'fetch' && (!isMethod || GLOBALS.has(fourth ?? ''));
    // A module is named by a path or by a name; names are looked up elsewhere.
    if (!isFetch && !(isImport && /^\.{0,2}\//.test(text))) return;
    const path = fileBesidePage(text);
    if (path !== undefined)
      this.found.push({ kind: 'file', path, at, ...(isImport && { isImport: true as const }) });
  }
}

/** The part of a text that what is added to it cannot change: up to its query or last slash. */
function wholePart(text: string): string {
  return /^(.*[/?#])/s.exec(text)?.[1] ?? '';
}
