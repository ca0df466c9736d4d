/** Imports of packages as Quire has them (`npm:zod@4/mini`), and as other tools do: by name, with versions in package.json. */

const NAME = String.raw`npm:((?:@[\w.~-]+\/)?[\w~-][\w.~-]*)(?:@([^/"'\s]+))?`;
const IMPORT = new RegExp(
  String.raw`(\b(?:from|import|require)\s*\(?\s*)(["'])${NAME}((?:\/[^"'\s]*)?)\2`,
  'g',
);
const JSX = new RegExp(String.raw`(@jsxImportSource\s+)()${NAME}((?:\/[^"'\s*]*)?)`, 'g');
const JSX_OPTION = new RegExp(String.raw`("jsxImportSource"\s*:\s*)(")${NAME}((?:\/[^"\s]*)?)"`, 'g');

/** The packages of one function. */
export class Packages {
  /** Versions, or other packages, by the name in imports. */
  readonly dependencies: Record<string, string>;

  constructor(known: Record<string, string> = {}) {
    this.dependencies = { ...known };
  }

  /** A module that imports packages by their names. */
  rewrite(text: string): string {
    const replace = (_: string, before: string, quote: string, name: string, range = '', path = '') =>
      `${before}${quote}${this.#name(name, range)}${path}${quote}`;
    return [IMPORT, JSX, JSX_OPTION].reduce((code, pattern) => code.replace(pattern, replace), text);
  }

  /** The name under which a version is imported. A second version of a package gets a name of its own. */
  #name(name: string, range: string): string {
    const known = this.dependencies[name];
    if (range === '' || known === range) {
      this.dependencies[name] = known ?? 'latest';
      return name;
    }
    if (known === undefined) {
      this.dependencies[name] = range;
      return name;
    }
    const renamed = `${name}-${range.replaceAll(/[^\w.]+/g, '')}`;
    this.dependencies[renamed] = `npm:${name}@${range}`;
    return renamed;
  }
}
