/** How to recognise a project whose sources a build turns into the files that browsers get. */

/** Programs that build sites. */
const BUILDERS = [
  'vite',
  'astro',
  'next',
  'nuxt',
  'vitepress',
  'parcel',
  'webpack',
  'gatsby',
  'react-scripts',
  'rollup',
  'esbuild',
  '@11ty/eleventy',
  '@docusaurus/core',
  '@sveltejs/kit',
  '@angular/cli',
];

/** Packages that show many addresses with one document. */
const ROUTERS = ['react-router', 'react-router-dom', '@tanstack/react-router', 'vue-router', 'wouter'];

/** Where builds put their files. */
export const BUILD_OUTPUTS = [
  'dist',
  'build',
  'out',
  '_site',
  '.output/public',
  '.vitepress/dist',
  'docs/.vitepress/dist',
];

const SCRIPT = /<script\b[^<>]*>/gi;
const ADDRESS = /\bsrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;
/** Sources that only a build understands. */
const SOURCE = /\.(?:tsx?|jsx|vue|svelte)\b/i;

/** Lock files, and the programs that write them. */
const LOCKS: Array<[file: string, program: string]> = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

/** What a package.json says about its project. */
export interface PackageJson {
  hasBuild: boolean;
  /** The packages that it names. */
  packages: Set<string>;
}

/** Reads a package.json; undefined if it is not JSON. */
export function readPackageJson(text: string): PackageJson | undefined {
  try {
    const { scripts, dependencies, devDependencies } = JSON.parse(text) as Record<string, object | undefined>;
    return {
      hasBuild: Object.hasOwn(scripts ?? {}, 'build'),
      packages: new Set(Object.keys({ ...dependencies, ...devDependencies })),
    };
  } catch {
    return undefined;
  }
}

/** Whether a project has to be built before it can be published. `html` is its index.html, if it has one. */
export function needsBuild({ hasBuild, packages }: PackageJson, html: string | undefined): boolean {
  if (!hasBuild) return false;
  return html === undefined || hasSources(html) || BUILDERS.some((name) => packages.has(name));
}

/** Whether a document has scripts that only a build understands. Each tag is read once: others may have made the document. */
function hasSources(html: string): boolean {
  for (const [tag] of html.matchAll(SCRIPT)) {
    const [, double, single, plain] = ADDRESS.exec(tag) ?? [];
    if (SOURCE.test(double ?? single ?? plain ?? '')) return true;
  }
  return false;
}

/** The command that builds a project with these files beside its package.json. */
export function findBuildCommand(names: readonly string[]): string[] {
  const [, program = 'npm'] = LOCKS.find(([file]) => names.includes(file)) ?? [];
  return [program, 'run', 'build'];
}

/** Whether a project shows many addresses with one document. */
export const hasRouter = ({ packages }: Pick<PackageJson, 'packages'>) =>
  ROUTERS.some((name) => packages.has(name));
