/** What an owner sent: the main module, and further modules by their path. */
export interface Source {
  code: string;
  files: Record<string, string>;
}

/** The versions of packages that `package.json` names, by the name that the code imports. */
export type Dependencies = Map<string, string>;

/** The main module's name in errors, stacks and imports of other modules. */
export const MAIN = 'function.ts';

/** A package that a module names: `npm:zod@4`, or `zod` if `package.json` has its version. */
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
/** Quotes around the name of a module. An import in a call can also use a template. */
const QUOTES = ['"', "'", '`'];
const MAX_SPECIFIER = 300;
/** Honest sources name a few packages. Of a source with more, the rest is not searched, to save time. */
const MAX_LOOKS = 2_000;
const NAME = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/;
const MAX_NAME = 214;

/** An import such as `"zod"` or `"@scope/tool/part"`. */
const BARE = /(["'])((?:@[\w.~-]{1,214}\/)?[\w~-][\w.~-]{0,213})(?:\/[^"'\n]{0,300})?\1/g;

/**
 * The packages that a source may import: every text that begins with `npm:` or is a name that `package.json` has. Some
 * of them may be in comments, so one that cannot be found counts only if the compiler meets its import.
 */
export function findPackages(
  source: Source,
  dependencies: Dependencies = new Map(),
  jsxSources: string[] = [],
): PackageName[] {
  const found = new Map<string, PackageName>();
  const add = (named: PackageName | undefined) => {
    if (!named) return;
    // `npm:zod` means the version in `package.json`.
    const range = named.range === 'latest' ? dependencies.get(named.name) : undefined;
    found.set(named.specifier, range === undefined ? named : toPackage(named.specifier, named.name, range));
  };
  for (const specifier of findPrefixed(source)) add(specifier);
  for (const name of jsxSources) add(parseSpecifier(name));
  const versions = new Map([...found.values()].map(({ name, range }) => [name, range]));
  for (const name of jsxSources)
    if (versions.has(name) && !dependencies.has(name))
      found.set(name, toPackage(name, name, versions.get(name) ?? ''));
  for (const name of dependencies.size === 0 ? [] : [...findBare(source), ...jsxSources]) {
    const range = dependencies.get(name);
    if (range === undefined || !isPackageName(name)) continue;
    found.set(name, toPackage(name, name, range));
    if (found.size > MAX_PACKAGES) break;
  }
  return [...found.values()];
}

/** A package under its own name, or under another one: `"tool": "npm:other-tool@1"`. */
function toPackage(specifier: string, name: string, range: string): PackageName {
  const renamed = range.startsWith(PREFIX) ? parseSpecifier(range) : undefined;
  return { specifier, name: renamed?.name ?? name, range: renamed?.range ?? range };
}

function* findPrefixed({ code, files }: Source): Generator<PackageName> {
  let looks = 0;
  const found = new Set<string>();
  for (const text of [code, ...Object.values(files)]) {
    for (let at = text.indexOf(PREFIX); at !== -1; at = text.indexOf(PREFIX, at + 1)) {
      const quote = text[at - 1] ?? '';
      if (!QUOTES.includes(quote)) continue;
      const end = text.slice(at, at + MAX_SPECIFIER).indexOf(quote);
      const named = end === -1 ? undefined : parseSpecifier(text.slice(at, at + end));
      if (named) yield named;
      if (named) found.add(named.specifier);
      if (found.size > MAX_PACKAGES || ++looks > MAX_LOOKS) return;
    }
  }
}

/** The names of packages that a module may import without `npm:`. */
function findBare({ code, files }: Source): Set<string> {
  const modules = Object.entries(files).filter(([path]) => !path.endsWith('.json'));
  const texts = [code, ...modules.map(([, text]) => text)];
  return new Set(texts.flatMap((text) => [...text.matchAll(BARE)].map(([, , name = '']) => name)));
}

const isPackageName = (name: string) => NAME.test(name) && name.length <= MAX_NAME;

/** The package of an import: `npm:zod@4` of `npm:zod@4/mini`, and `zod` of `zod/mini`. */
export function toPackageSpecifier(wanted: string): string | undefined {
  if (wanted.startsWith(PREFIX)) return parseSpecifier(wanted)?.specifier;
  const [name = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(wanted) ?? [];
  return isPackageName(name) ? name : undefined;
}

/** The package of `npm:name@range/path`. Undefined if it is not one. */
export function parseSpecifier(text: string): PackageName | undefined {
  const [, name = '', range = 'latest'] =
    /^npm:((?:@[^/@]+\/)?[^/@]+)(?:@([^/=\s]+))?(?:\/|$)/.exec(text) ?? [];
  if (!isPackageName(name)) return undefined;
  return { specifier: text.slice(0, specifierLength(text, name)), name, range };
}

function specifierLength(text: string, name: string): number {
  const path = text.indexOf('/', PREFIX.length + name.length);
  return path === -1 ? text.length : path;
}

/** Where a source first names a package, for errors that are in the package. */
export function locatePackage({ code, files }: Source, specifier: string): ModuleLocation {
  for (const [file, text] of [[MAIN, code] as const, ...Object.entries(files)]) {
    const at = text.search(new RegExp(`["'\`]${RegExp.escape(specifier)}["'\`/]`));
    if (at === -1) continue;
    const before = text.slice(0, at);
    return { file, line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
  }
  return { file: MAIN, line: 1, column: 1 };
}

/** A place in what the owner sent. Lines and columns start with 1. */
export interface ModuleLocation {
  file: string;
  line: number;
  column: number;
}
