import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { NewFunction } from '../../contract/functions/functions.ts';
import { isFunctionSlug, MAIN_MODULE } from '../../contract/rules/function-names.ts';
import { CommandError, EXIT } from '../usage.ts';
import { readInside } from './files/inside.ts';
import { type FunctionSource, readModules } from './function-source.ts';
import { parseFunctionJson } from './page-json.ts';

/** A function in a folder of its own: `function.json` with its settings, its main module, and all its other modules. */

/** The settings of a function. */
export type FunctionFields = Omit<NewFunction, 'code' | 'files'>;

/** A function on disk. */
export interface LocalFunction {
  fields: FunctionFields;
  source: FunctionSource;
  /** The folder that `.quire.json` is in. */
  folder: string;
  /** Where its own folder is in that one, if it has one: `functions/poll/`. */
  under: string;
  /** Its texts by their path in the folder of `.quire.json`. */
  texts: Record<string, string>;
}

export const SETTINGS_FILE = 'function.json';
/** Where the folder of a page has its functions, each in a folder of its own. */
const FUNCTIONS = 'functions';

/** The names of a main module. No other module can have the first one. */
export const MAIN_NAMES = [MAIN_MODULE, 'function.tsx', 'function.js', 'function.jsx'];

/** The folder of one of the page's functions, in the folder of the page. */
export const functionFolder = (slug: string) => `${FUNCTIONS}/${slug}/`;

/** Reads the function in a folder, `under` another one that has `.quire.json`; undefined without `function.json`. */
export async function readFunctionFolder(root: string, under: string): Promise<LocalFunction | undefined> {
  const folder = join(root, under);
  const json = await readInside(root, under + SETTINGS_FILE);
  if (json === undefined) return undefined;
  const fields = parseFunctionJson(join(folder, SETTINGS_FILE), json);
  if (!isFunctionSlug(fields.slug))
    throw new CommandError(`${join(folder, SETTINGS_FILE)} has an invalid slug.`);
  const { [SETTINGS_FILE]: _, ...modules } = await readModules(folder, '', root);
  const first = await readInside(folder, MAIN_MODULE);
  const found =
    first === undefined ? MAIN_NAMES.filter((name) => Object.hasOwn(modules, name)) : [MAIN_MODULE];
  const [main] = found;
  if (main === undefined)
    throw new CommandError(`${folder} has no function.ts or function.js.`, EXIT.notFound);
  if (found.length > 1)
    throw new CommandError(`${folder} has both ${found.join(' and ')}. Rename all but the main module.`);
  const { [main]: text = first ?? '', ...files } = modules;
  const texts = { [SETTINGS_FILE]: json, [main]: text, ...files };
  return {
    fields,
    source: { file: join(folder, main), text, files },
    ...{ folder: resolve(root), under },
    texts: Object.fromEntries(Object.entries(texts).map(([name, each]) => [under + name, each])),
  };
}

/** A function whose files are beside `.quire.json`, and whose settings are elsewhere. */
export function toLocalFunction(
  fields: FunctionFields,
  source: FunctionSource,
  folder: string,
): LocalFunction {
  const texts = { [basename(source.file)]: source.text, ...source.files };
  return { fields, source, folder: resolve(folder), under: '', texts };
}

/** The functions below the folder of a page. */
export async function readFunctionFolders(root: string): Promise<LocalFunction[]> {
  // A link is not followed: what it leads to may belong to somebody else.
  const isFolder = (await lstat(join(root, FUNCTIONS)).catch(() => undefined))?.isDirectory();
  if (!isFolder) return [];
  const found: LocalFunction[] = [];
  for (const entry of await readdir(join(root, FUNCTIONS), { withFileTypes: true })) {
    const fn = entry.isDirectory() ? await readFunctionFolder(root, functionFolder(entry.name)) : undefined;
    if (fn) found.push(fn);
  }
  return found.sort((a, b) => (a.fields.slug < b.fields.slug ? -1 : 1));
}

/** Where a function's folder keeps its history: with the page that it belongs to, if it is in the folder of one. */
export async function locateFunctionFolder(path: string): Promise<{ root: string; under: string }> {
  const folder = resolve(path);
  const root = dirname(dirname(folder));
  if (basename(dirname(folder)) !== FUNCTIONS) return { root: folder, under: '' };
  for (const name of ['index.html', 'page.json'])
    if (await lstat(join(root, name)).catch(() => undefined))
      return { root, under: functionFolder(basename(folder)) };
  return { root: folder, under: '' };
}
