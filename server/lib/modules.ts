import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { BunPlugin } from 'bun';

/** Modules of ours that do not run in the server: each is bundled into one file for browsers or for workerd. */
export const MODULES = [
  'sdk/page.ts',
  'sdk/solo-app.ts',
  'sdk/team-app.ts',
  'sdk/social-app.ts',
  'sdk/agent-tools/index.ts',
  'sdk/errors/index.ts',
  'sdk/errors/steps.ts',
  'sdk/reload/index.ts',
  'sdk/live/join.ts',
  'sdk/live-queries/index.ts',
  'sdk/workers/prepare.ts',
  'dashboard/docs/search.ts',
  'dashboard/login/passkey.ts',
  'workers/shim.ts',
  'workers/services/services.ts',
  'workers/client/database.ts',
  'workers/database/local.ts',
  'workers/database/cluster.ts',
  'workers/egress/guard.ts',
  'workers/egress/lanes.ts',
  'workers/unfurl-url/unfurl-url.ts',
] as const;

export type ModulePath = (typeof MODULES)[number];

/** Parts of the SDK that the bundles import when they need them. */
const ESM_MODULES: readonly ModulePath[] = ['sdk/live/join.ts', 'sdk/live-queries/index.ts'];

/** Set if the server itself is bundled: the folder with what was built with it, possibly relative to `ROOT`. */
declare const QUIRE_MODULES: string | undefined;

/** Set in the program that `npm run build` compiles. */
declare const QUIRE_IS_COMPILED: true | undefined;

/** True if Quire was installed from an archive. It then runs without Node.js, npm and Bun. */
export const IS_COMPILED = typeof QUIRE_IS_COMPILED !== 'undefined';

/** The first argument with which the compiled program runs one of our modules instead of a command. */
export const HELPER = '--helper';

const ROOT = join(import.meta.dir, '../..');
const loaded = new Map<ModulePath, Promise<string>>();

/** What workerd has, and the owner's module. */
const EXTERNAL = ['cloudflare:*', 'cloudflare-internal:*', 'node-internal:*', 'function.js'];

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
  return (await loadBuilt(toFileName(path))) ?? (await buildModule(path)).code;
}

/** The text of a file that was built with the server. Undefined if it was not, or if a newer bundle has replaced it. */
export async function loadBuilt(name: string): Promise<string | undefined> {
  if (typeof QUIRE_MODULES !== 'string') return undefined;
  const file = Bun.file(resolve(ROOT, QUIRE_MODULES, name));
  return (await file.exists()) ? file.text() : undefined;
}

/** Bundles a module. `inputs` are the files in it. */
export async function buildModule(path: ModulePath): Promise<{ code: string; inputs: string[] }> {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [join(ROOT, path)],
    target: 'browser',
    metafile: true,
    plugins: [smallStyles],
    ...(!path.startsWith('workers/')
      ? // What the SDK imports when it needs it is a module.
        { format: ESM_MODULES.includes(path) ? 'esm' : 'iife', minify: true }
      : // A cell's configuration adds the owner's module next to the shim.
        { format: 'esm', external: EXTERNAL }),
  });
  const [output] = outputs;
  if (!output) throw new Error(`the bundle of ${path} is empty`);
  return { code: await output.text(), inputs: Object.keys(metafile?.inputs ?? {}) };
}

/** The name of a built module. */
export function toFileName(path: ModulePath): string {
  return path.replaceAll('/', '-').replace(/\.ts$/, '.js');
}

/**
 * The command that runs one of our modules as a process of its own. Bun does not read the `.env` and `bunfig.toml` of
 * the working directory, and installs nothing.
 */
export function helperCommand(module: URL): string[] {
  const path = fileURLToPath(module);
  return IS_COMPILED
    ? [process.execPath, HELPER, path]
    : [process.execPath, '--no-install', '--no-env-file', '--config=/dev/null', path];
}

/** The arguments that let our own program run a module, by a path that it can read. */
export function helperArguments(path: string): string[] {
  return helperCommand(pathToFileURL(path)).slice(1);
}

const helpers = new Map<string, Promise<string>>();

/** The code of a module that runs as a process of its own, with all that it imports: a box has no other files. */
export function loadHelper(module: URL): Promise<string> {
  const path = fileURLToPath(module);
  const known = helpers.get(path);
  if (known) return known;
  const loading = loadInOne(path);
  helpers.set(path, loading);
  loading.catch(() => helpers.delete(path));
  return loading;
}

async function loadInOne(path: string): Promise<string> {
  if (IS_COMPILED) return Bun.file(path).text();
  const { outputs } = await Bun.build({ entrypoints: [path], target: 'bun' });
  const [output] = outputs;
  if (!output) throw new Error(`the bundle of ${path} is empty`);
  return output.text();
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
