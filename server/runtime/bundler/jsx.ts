import { MAIN, type Source } from './source.ts';

/** How JSX is compiled. The compiler itself would take `React` for granted, and the function would fail when it is called. */

/** The import that says that JSX was used without a library. */
export const NO_JSX_LIBRARY = 'quire-jsx';

const AUTOMATIC = '\n/** @jsxRuntime automatic */\n';
const MISSING = `${AUTOMATIC}/** @jsxImportSource ${NO_JSX_LIBRARY} */\n`;
const DEFAULT_FACTORY = 'React.createElement';

/** The options of `tsconfig.json` that matter. The compiler reads the file itself. */
function readOptions(source: Source) {
  const text = source.files['tsconfig.json'] ?? '';
  const option = (name: string) => new RegExp(`"${name}"\\s*:\\s*"([^"]*)"`).exec(text)?.[1];
  return {
    isAutomatic: option('jsx')?.startsWith('react-jsx') ?? false,
    importSource: option('jsxImportSource'),
    factory: option('jsxFactory'),
  };
}

/** The packages that JSX comes from, as the source names them: `preact`, or `npm:preact@10`. */
export function findJsxSources(source: Source): string[] {
  const { isAutomatic, importSource } = readOptions(source);
  const named = [source.code, ...Object.values(source.files)].flatMap((text) =>
    [...text.matchAll(/@jsxImportSource\s+([^\s*"'`]+)/g)].map(([, name = '']) => name),
  );
  return [...new Set([...named, ...(isAutomatic ? [importSource ?? 'react'] : [])])];
}

/**
 * A module as the compiler must read it: with comments at its end that say where JSX comes from. If that is a function
 * which the module does not have, they name a package that does not exist.
 */
export function withJsxRuntime(path: string, text: string, source: Source): string {
  if (path !== MAIN && !/\.[jt]sx?$/.test(path)) return text;
  const options = readOptions(source);
  const isClassic = /@jsxRuntime\s+classic/.test(text);
  if (!isClassic && (options.isAutomatic || /@jsx(?:ImportSource\s|Runtime\s+automatic)/.test(text)))
    return text + AUTOMATIC;
  const factory = /@jsx\s+([\w$.]+)/.exec(text)?.[1] ?? options.factory ?? DEFAULT_FACTORY;
  return binds(text, factory.split('.')[0] ?? '') ? text : text + MISSING;
}

/** Whether a module has something of this name, as far as its text says. */
function binds(text: string, name: string): boolean {
  const word = new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`);
  const declared = new RegExp(`(?:const|let|var|function|class)\\s+${word.source}`);
  // In pieces, and each piece once: patterns for whole statements take hours for some megabyte.
  const has = (piece: string, start: RegExp, end = '') => {
    const at = piece.search(start);
    const rest = at < 0 ? '' : piece.slice(at);
    const found = rest.search(word);
    return found >= 0 && rest.includes(end, found);
  };
  return (
    declared.test(text) ||
    text.split(/[;"']/).some((piece) => has(piece, /import/, 'from')) ||
    text.split('}').some((piece) => has(piece, /(?:const|let|var)\s*\{/))
  );
}
