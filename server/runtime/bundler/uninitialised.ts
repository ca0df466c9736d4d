import { splitFiles } from './source-map.ts';

/**
 * A module that is imported in a call somewhere is wrapped: the compiler calls its `init_…` where it is imported. It forgets
 * that where a package without side effects passes the module on with `export *`, and then what the module exports is
 * undefined. Test: test/api/functions/packages.test.ts.
 */
export function usesUninitialised(bundle: string): boolean {
  const wrapped = [...bundle.matchAll(/^var (init_[\w$]+) = __esm\(/gm)];
  if (wrapped.length === 0) return false;
  const called = new Set([...bundle.matchAll(/^(?:await )?(init_[\w$]+)\(\);$/gm)].map(([, name]) => name));
  const files = splitFiles(bundle);
  const own = files.filter(({ path }) => path.startsWith('source/'));
  const words = new Set(
    own.flatMap(({ start, end }) => bundle.slice(start, end).match(/[A-Za-z_$][\w$]*/g) ?? []),
  );
  return files.some(({ start, end }) => {
    const code = bundle.slice(start, end);
    const [, init] = /^var (init_[\w$]+) = __esm\(/m.exec(code) ?? [];
    if (init === undefined || called.has(init)) return false;
    return [...code.matchAll(/^ {2}\S{1,200}: \(\) => ([\w$]+),?$/gm)].some(([, name = '']) =>
      words.has(name),
    );
  });
}
