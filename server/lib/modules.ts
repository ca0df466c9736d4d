import { join } from 'node:path';
import type { BunPlugin } from 'bun';

/** Modules of ours that do not run in the server: each is bundled into one file for browsers or for workerd. */
export const MODULES = [
  'sdk/page.ts',
  'sdk/solo-app.ts',
  'sdk/team-app.ts',
  'sdk/social-app.ts',
  'sdk/agent-tools/index.ts',
  'sdk/reload/index.ts',
  'sdk/live/join.ts',
  'workers/shim.ts',
  'workers/live/live.ts',
  'workers/database/local.ts',
  'workers/database/cluster.ts',
  'workers/egress/guard.ts',
  'workers/egress/lanes.ts',
  'workers/unfurl-url/unfurl-url.ts',
] as const;

export type ModulePath = (typeof MODULES)[number];

/** Set if the server itself runs from a bundle: the folder with the modules that were built with it. */
declare const QUIRE_MODULES: string | undefined;

const ROOT = join(import.meta.dir, '../..');
const loaded = new Map<ModulePath, Promise<string>>();

/** The code of a module. */
export function loadModule(path: ModulePath): Promise<string> {
  const known = loaded.get(path);
  if (known) return known;
  const loading = load(path);
  loaded.set(path, loading);
  // The next caller tries again: the reason may have been a lack of memory or open files.
  loading.catch(() => loaded.delete(path));
  return loading;
}

async function load(path: ModulePath): Promise<string> {
  const built = typeof QUIRE_MODULES === 'string' ? Bun.file(join(QUIRE_MODULES, fileOf(path))) : undefined;
  // It is gone if a newer bundle has replaced this one while the server runs.
  if (await built?.exists()) return built?.text() ?? '';
  return (await buildModule(path)).code;
}

/** Bundles a module. `inputs` are the files in it. */
export async function buildModule(path: ModulePath): Promise<{ code: string; inputs: string[] }> {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [join(ROOT, path)],
    target: 'browser',
    metafile: true,
    plugins: [smallStyles],
    ...(path.startsWith('sdk/')
      ? // What the SDK imports when it needs it is a module.
        { format: path === 'sdk/live/join.ts' ? 'esm' : 'iife', minify: true }
      : // A cell's configuration adds the owner's module next to the shim.
        { format: 'esm', external: ['cloudflare:*', 'function.js'] }),
  });
  const [output] = outputs;
  if (!output) throw new Error(`the bundle of ${path} is empty`);
  return { code: await output.text(), inputs: Object.keys(metafile?.inputs ?? {}) };
}

/** The name of a built module. */
export function fileOf(path: ModulePath): string {
  return path.replaceAll('/', '-').replace(/\.ts$/, '.js');
}

/** Styles in a script, without comments and spaces. Bun would also replace functions that old browsers do not know. */
const smallStyles: BunPlugin = {
  name: 'small styles',
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => ({
      loader: 'text',
      contents: (await Bun.file(path).text())
        .replace(/\/\*.*?\*\//gs, '')
        .replace(/\s+/g, ' ')
        .replace(/ ?([{};,]) ?/g, '$1')
        .replaceAll(': ', ':')
        .replaceAll(';}', '}')
        .trim(),
    }));
  },
};
