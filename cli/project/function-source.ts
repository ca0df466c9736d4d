import { stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { MAX_CODE_BYTES } from '../../contract/functions/functions.ts';
import { FilePathSet } from '../../contract/rules/file-paths.ts';
import { isFunctionPath, MAX_FUNCTION_FILES } from '../../contract/rules/function-names.ts';
import { usesPackages } from '../../contract/rules/projects/used-packages.ts';
import { CommandError, EXIT } from '../usage.ts';
import { readIgnoreRules } from './files/ignore.ts';
import { readIfThere, readInside } from './files/inside.ts';
import { sayFault } from './files/say-fault.ts';
import { walk } from './files/scan.ts';
import { isGenerated } from './generated.ts';
import { encodingFor } from './texts.ts';

/** The code of a function on disk. */
export interface FunctionSource {
  /** The path of the main module, for error messages. */
  file: string;
  text: string;
  /** Further modules by their path, relative to the folder of the main module. */
  files: Record<string, string>;
}

const MAIN_ENDINGS = ['.ts', '.js'];

/** Reads the main module with this name, as TypeScript or JavaScript, and its modules. */
export async function findSource(folder: string, name: string): Promise<FunctionSource | undefined> {
  const found: FunctionSource[] = [];
  for (const ending of MAIN_ENDINGS) {
    const text = await readInside(folder, name + ending);
    if (text !== undefined) found.push(await withModules(folder, name + ending, text));
  }
  if (found.length > 1)
    throw new CommandError(`${folder} has both ${name}.ts and ${name}.js. Remove one of them.`);
  return found[0];
}

/** Reads a main module by its path, and its modules. */
export async function readSource(path: string): Promise<FunctionSource> {
  const { dir, base } = parse(path);
  const text = (await readIfThere(path)) ?? '';
  return { ...(await withModules(dir || '.', base, text)), file: path };
}

/** The modules are in the folder with the name of the main one, if that imports from there. */
async function withModules(folder: string, main: string, text: string): Promise<FunctionSource> {
  const { name } = parse(main);
  const source: FunctionSource = { file: join(folder, main), text, files: {} };
  const under = await stat(join(folder, name)).catch(() => undefined);
  if (!under?.isDirectory() || !text.includes(`./${name}/`)) return source;
  return { ...source, files: await readModules(folder, `${name}/`) };
}

/** The modules below a part of a folder, by their path in the folder. `outer` is a folder around it with more rules. */
export async function readModules(
  folder: string,
  under: string,
  outer = folder,
): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  let bytes = 0;
  for await (const { path } of walk(join(folder, under), await readIgnoreRules(folder, outer), { under })) {
    if (!isFunctionPath(path)) continue;
    const module = (await readInside(folder, path, encodingFor(path))) ?? '';
    if (isGenerated(path, module)) continue;
    files[path] = module;
    bytes += Buffer.byteLength(module);
    if (bytes > MAX_CODE_BYTES || Object.keys(files).length > MAX_FUNCTION_FILES)
      throw new CommandError(
        `${join(folder, under)} is too large for a function: it can have ${MAX_FUNCTION_FILES} files and 1 MB. Name what does not belong to it in .quireignore.`,
      );
  }
  return files;
}

/** Reads the main module of a Worker, and all modules in its folder and below. */
export async function readWorkerSource(path: string): Promise<FunctionSource> {
  const text = await readIfThere(path);
  if (text === undefined) throw new CommandError(`${path} does not exist.`, EXIT.notFound);
  const { dir, base } = parse(path);
  const { [base]: _, ...files } = await readModules(dir, '');
  return { file: path, text, files };
}

/** Files beside a function that say how to compile it. */
export const PROJECT_FILES = ['package.json', 'tsconfig.json'];

/** Adds what is beside the main module and says how to compile it: the versions of packages, and the options of JSX. */
export async function withProjectFiles(folder: string, source: FunctionSource): Promise<FunctionSource> {
  const { file, text, files } = source;
  const packages = await readInside(folder, 'package.json');
  const isUsed = packages !== undefined && usesPackages(packages, [text, ...Object.values(files)]);
  const hasJsx = [file, ...Object.keys(files)].some((path) => /\.[jt]sx$/i.test(path));
  const options = hasJsx ? await readInside(folder, 'tsconfig.json') : undefined;
  return {
    ...source,
    files: {
      ...files,
      ...(isUsed && { 'package.json': packages }),
      ...(options !== undefined && { 'tsconfig.json': options }),
    },
  };
}

/** The files of a function in a folder, by their path. Throws if the server names one that is not a module. */
export function toLocalFiles(
  main: string,
  code: string,
  files: Record<string, string>,
): Record<string, string> {
  const paths = new FilePathSet();
  paths.add(main);
  for (const path of Object.keys(files)) {
    const fault = isFunctionPath(path) ? paths.add(path) : 'is not the path of a module';
    if (fault)
      throw new CommandError(
        `The server sent a file that cannot be: ${JSON.stringify(path.slice(0, 200))} ${sayFault(fault)}.`,
      );
  }
  return { [main]: code, ...files };
}

/** The name for code that has no file yet. The ending is for editors and other tools; the server reads all of them. */
export function chooseMainName(name: string, code: string, files: Record<string, string>): string {
  const isBesideTypes = Object.keys(files).some((path) => /\.[cm]?tsx?$/.test(path));
  const endings = isBesideTypes ? TYPED : ([...PLAIN, ...TYPED] as const);
  return `${name}.${endings.find((ending) => parses(code, ending)) ?? 'js'}`;
}

const PLAIN = ['js', 'jsx'] as const;
const TYPED = ['ts', 'tsx'] as const;

function parses(code: string, loader: 'js' | 'jsx' | 'ts' | 'tsx'): boolean {
  try {
    new Bun.Transpiler({ loader }).scan(code);
    return true;
  } catch {
    return false;
  }
}
