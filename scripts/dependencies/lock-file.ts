import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Names = z.record(z.string(), z.string()).default({});
const LockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string(),
      license: z.string().optional(),
      integrity: z.string().optional(),
      /** True if only the checks and tests need it. */
      dev: z.boolean().default(false),
      dependencies: Names,
      devDependencies: Names,
      optionalDependencies: Names,
    }),
  ),
});

/** A package of the lock file. */
export interface Package {
  /** The folder that it is installed in. */
  path: string;
  name: string;
  version: string;
  license: string;
  integrity?: string | undefined;
  isForTests: boolean;
  /** The folders of the packages that it uses. */
  uses: string[];
}

export interface Packages {
  /** The names that `package.json` has. */
  direct: string[];
  all: Package[];
}

export async function readPackages(root: string): Promise<Packages> {
  const { packages } = LockFile.parse(JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')));
  const { '': project, ...others } = packages;
  if (!project) throw new Error('package-lock.json does not describe the project');
  const findUses = (path: string, names: string[]) =>
    names.map((name) => findInstalled(packages, path, name)).filter((found) => found !== undefined);
  return {
    direct: Object.keys({
      ...project.dependencies,
      ...project.devDependencies,
      ...project.optionalDependencies,
    }),
    all: Object.entries(others).map(([path, entry]) => ({
      path,
      name: nameAt(path),
      version: entry.version,
      license: entry.license ?? 'unknown',
      integrity: entry.integrity,
      isForTests: entry.dev,
      uses: findUses(path, Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })),
    })),
  };
}

export function nameAt(path: string): string {
  return path.replace(/^.*node_modules\//, '');
}

/** Where a package finds another: in its own folder, or in that of the packages around it. */
function findInstalled(packages: Record<string, unknown>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const path = `${folder && `${folder}/`}node_modules/${name}`;
    if (Object.hasOwn(packages, path)) return path;
    if (folder === '') return undefined;
  }
}
