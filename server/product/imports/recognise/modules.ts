import { MAX_CODE_BYTES } from '../../../../contract/functions/functions.ts';
import { MAX_FUNCTION_FILES } from '../../../../contract/rules/function-names.ts';
import { usesPackages } from '../../../../contract/rules/projects/used-packages.ts';
import { phrase } from '../../../../contract/rules/texts/fill.ts';
import type { ImportFile } from './plan.ts';
import { readText, type Sorting } from './sorting.ts';

/**
 * The code of a function: its main module, and further ones by their path below `folder`. Undefined, and all of them are
 * left, if they do not fit.
 */
export function readModules(
  sorting: Sorting,
  main: ImportFile,
  modules: ImportFile[],
  folder: string,
): { code: string; files?: Record<string, string> } | undefined {
  const all = [main, ...modules];
  const bytes = all.reduce((sum, { size }) => sum + size, 0);
  const isTooLarge = modules.length > MAX_FUNCTION_FILES || bytes > MAX_CODE_BYTES;
  const texts = isTooLarge ? [] : all.map(readModule);
  const why = isTooLarge
    ? phrase('is too large for a function: it can have {count} files and 1 MB', { count: MAX_FUNCTION_FILES })
    : phrase('is not text in UTF-8');
  if (isTooLarge || texts.includes(undefined)) {
    for (const [at, file] of all.entries())
      if (isTooLarge || texts[at] === undefined) sorting.leave(file, why);
    return undefined;
  }
  const [code = '', ...others] = texts;
  const files = Object.fromEntries(
    modules.map(({ path }, at) => [path.slice(folder.length), others[at] ?? '']),
  );
  return { code, ...(modules.length > 0 && { files }) };
}

/** WebAssembly travels as Base64. */
function readModule(file: ImportFile): string | undefined {
  return /\.wasm$/i.test(file.path) ? Buffer.from(file.bytes()).toString('base64') : readText(file);
}

/** The files of a project that say how to compile its main module: the versions of packages, and the options of JSX. */
export function findProjectFiles(
  sorting: Sorting,
  main: ImportFile,
  texts: Record<string, string>,
): ImportFile[] {
  const packages = sorting.find('package.json');
  const isUsed = packages && usesPackages(readText(packages) ?? '', Object.values(texts));
  const hasJsx = [main.path, ...Object.keys(texts)].some((path) => /\.[jt]sx$/i.test(path));
  const options = hasJsx ? sorting.find('tsconfig.json') : undefined;
  return [...(packages && isUsed ? [packages] : []), ...(options ? [options] : [])];
}
