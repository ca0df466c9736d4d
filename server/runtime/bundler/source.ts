/** What an owner sent: the main module, and further modules by their path. */
export interface Source {
  code: string;
  files: Record<string, string>;
}

/** The main module's name in errors, stacks and imports of other modules. */
export const MAIN = 'function.ts';

/** A package that a module names: `npm:zod@4`. */
export interface PackageName {
  /** The import as it is written, without a path in the package. */
  specifier: string;
  name: string;
  /** A range of versions or a tag. */
  range: string;
}

/** The packages of one deploy. The largest useful trees are far smaller. */
export const MAX_PACKAGES = 200;
const PREFIX = 'npm:';
const MAX_SPECIFIER = 300;
/** Honest sources name a few packages. Of a source with more, the rest is not searched, to save time. */
const MAX_LOOKS = 2_000;
const NAME = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/;
const MAX_NAME = 214;

/**
 * The packages that a source may import: every text that begins with `npm:`. Some of them may be in comments, so one that
 * cannot be found counts only if the compiler meets its import.
 */
export function findPackages({ code, files }: Source): PackageName[] {
  const found = new Map<string, PackageName>();
  let looks = 0;
  for (const text of [code, ...Object.values(files)]) {
    for (let at = text.indexOf(PREFIX); at !== -1; at = text.indexOf(PREFIX, at + 1)) {
      const quote = text[at - 1] ?? '';
      if (quote !== '"' && quote !== "'") continue;
      const end = text.slice(at, at + MAX_SPECIFIER).indexOf(quote);
      const named = end === -1 ? undefined : parseSpecifier(text.slice(at, at + end));
      if (named) found.set(named.specifier, named);
      if (found.size > MAX_PACKAGES || ++looks > MAX_LOOKS) return [...found.values()];
    }
  }
  return [...found.values()];
}

/** The package of `npm:name@range/path`. Undefined if it is not one. */
export function parseSpecifier(text: string): PackageName | undefined {
  const [, name = '', range = 'latest'] =
    /^npm:((?:@[^/@]+\/)?[^/@]+)(?:@([^/=\s]+))?(?:\/|$)/.exec(text) ?? [];
  if (!NAME.test(name) || name.length > MAX_NAME) return undefined;
  return { specifier: text.slice(0, specifierLength(text, name)), name, range };
}

function specifierLength(text: string, name: string): number {
  const path = text.indexOf('/', PREFIX.length + name.length);
  return path === -1 ? text.length : path;
}

/** Where a source first names a package, for errors that are in the package. */
export function placeOf({ code, files }: Source, specifier: string): Place {
  for (const [file, text] of [[MAIN, code] as const, ...Object.entries(files)]) {
    const at = text.search(new RegExp(`["']${RegExp.escape(specifier)}["'/]`));
    if (at === -1) continue;
    const before = text.slice(0, at);
    return { file, line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
  }
  return { file: MAIN, line: 1, column: 1 };
}

/** A place in what the owner sent. Lines and columns start with 1. */
export interface Place {
  file: string;
  line: number;
  column: number;
}
