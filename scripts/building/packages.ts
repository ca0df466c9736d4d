import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Packages with native code, and one whose text is sent to a browser. They stay as they are, beside the program. */
export const EXTERNAL = ['sharp', 'axe-core'];

const CPU = process.arch === 'x64' ? '64' : process.arch;
const WANTED = [
  ...EXTERNAL,
  `@cloudflare/workerd-${process.platform}-${CPU}`,
  `@esbuild/${process.platform}-${process.arch}`,
  `@img/sharp-${process.platform}-${process.arch}`,
];
/** What no one needs to run them. */
const UNUSED = /\.(d\.[cm]?ts|map)$|\/(locales|install|src|axe\.min\.js|sri-history\.json)$/;

interface Package {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** Copies the packages and what they depend on. Optional dependencies are those for other machines, unless wanted. */
export async function copyPackages(from: string, to: string): Promise<void> {
  const names = new Set(WANTED);
  for (const name of names) {
    const { dependencies, optionalDependencies } = await readPackage(join(from, name));
    for (const other of Object.keys(dependencies ?? {})) names.add(other);
    if (name.startsWith('@img/'))
      for (const other of Object.keys(optionalDependencies ?? {})) names.add(other);
    await cp(join(from, name), join(to, name), { recursive: true, filter: (path) => !UNUSED.test(path) });
  }
}

async function readPackage(folder: string): Promise<Package> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
}
