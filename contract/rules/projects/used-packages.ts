/** An import such as "zod" or "@scope/tool/part", or of its newest version. */
const IMPORT = /["'](?:npm:)?((?:@[\w.~-]+\/)?[\w~-][\w.~-]*)(?:\/[^"'\n]*)?["']/g;

/** Whether modules may import a package that a package.json names. */
export function usesPackages(packageJson: string, modules: string[]): boolean {
  const imported = new Set(modules.flatMap((one) => [...one.matchAll(IMPORT)].map(([, name]) => name)));
  return readNames(packageJson).some((name) => imported.has(name));
}

/** The packages that a package.json names. If it is not valid, the compiler says so. */
function readNames(text: string): string[] {
  try {
    const { devDependencies, peerDependencies, dependencies } = JSON.parse(text);
    return Object.keys({ ...devDependencies, ...peerDependencies, ...dependencies });
  } catch {
    return [];
  }
}
