import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { PackageVersion } from './npm-registry.ts';

/** A package of this project as its registry has it, for functions that import the real one. */
export function installedPackage(name: string): PackageVersion {
  const folder = join(import.meta.dir, '../../../node_modules', name);
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  return { name, version: about.version, files, about };
}
