import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { clientCommands } from '../cli/index.ts';
import { serverCommands } from '../server/commands/index.ts';
import { buildModule, MODULES, toFileName } from '../server/lib/modules.ts';
import { CACHE, CLIENT_MANIFEST, hashFile, MANIFEST, type Manifest, ROOT, sizeAndTime } from './launch.ts';
import { keepLocations } from './locations.ts';

/**
 * Bundles Quire into one file with bytecode, and the modules that run elsewhere beside it. A second, much smaller file
 * has only the commands that call a server. Safe to run several times at once: the last one wins.
 */

/** A younger folder may belong to a bundle that is just being made or started. */
const KEEP_MS = 60_000;

/** The commands of the server load its code when they run. */
const SERVER_COMMANDS = join(ROOT, 'server/commands');

// As readable as the source, because the server may run as another user, and writable for nobody else.
process.umask(0o022);
mkdirSync(CACHE, { recursive: true });
const folder = mkdtempSync(join(CACHE, 'bundle-'));
chmodSync(folder, 0o755);
const startedAt = statSync(folder).ctimeMs;

const whole = await bundle('main.js');
for (const path of MODULES) {
  const module = await buildModule(path);
  writeFileSync(join(folder, toFileName(path)), module.code);
  for (const input of module.inputs) whole.add(relative(ROOT, input));
}
const client = await bundle('client.js', withoutServer());
describe(MANIFEST, 'main.js', whole);
describe(CLIENT_MANIFEST, 'client.js', client, clientWords());
const isChanged = [...whole, ...client].some((path) => statSync(join(ROOT, path)).ctimeMs >= startedAt);
if (isChanged) {
  rmSync(folder, { recursive: true });
  throw new Error('A file was changed while it was bundled.');
}
// After a power failure, a complete manifest could otherwise name an empty bundle, which would start nothing.
for (const name of readdirSync(folder)) {
  const file = openSync(join(folder, name), 'r');
  fsyncSync(file);
  closeSync(file);
}
for (const path of [CLIENT_MANIFEST, MANIFEST]) renameSync(join(folder, basename(path)), path);
for (const name of readdirSync(CACHE).filter((name) => name.startsWith('bundle-'))) {
  const path = join(CACHE, name);
  const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (path !== folder && madeAt < Date.now() - KEEP_MS) rmSync(path, { recursive: true, force: true });
}

/** Returns the paths of what went into it. */
async function bundle(name: string, ...plugins: Bun.BunPlugin[]): Promise<Set<string>> {
  const { metafile } = await Bun.build({
    entrypoints: [join(ROOT, 'server/main.ts')],
    outdir: folder,
    naming: name,
    target: 'bun',
    format: 'cjs',
    bytecode: true,
    metafile: true,
    // The first has a native part. Only one command needs the other, and every start would read it.
    external: ['sharp', '@codemirror/merge'],
    define: { QUIRE_MODULES: JSON.stringify(folder) },
    plugins: [...plugins, keepLocations({ root: JSON.stringify(ROOT) })],
  });
  return new Set(Object.keys(metafile?.inputs ?? {}).map((path) => relative(ROOT, path)));
}

/** What the server's commands load stays outside. */
function withoutServer(): Bun.BunPlugin {
  return {
    name: 'without server',
    setup(build) {
      build.onResolve({ filter: /^\.\// }, ({ path, importer }) =>
        importer === join(SERVER_COMMANDS, 'index.ts')
          ? { path: join(SERVER_COMMANDS, path), external: true }
          : undefined,
      );
    },
  };
}

/** The first words of commands that need nothing of the server. */
function clientWords(): string[] {
  const [ofServer, ofClient] = [serverCommands, clientCommands].map(
    (commands) => new Set(commands.map(({ name }) => name.split(' ')[0] ?? '')),
  );
  return [...(ofClient ?? [])].filter((word) => !ofServer?.has(word));
}

/** Writes the manifest of a bundle, for now beside it. */
function describe(path: string, main: string, inputs: Set<string>, words?: string[]): void {
  const manifest: Manifest = {
    main: join(folder, main),
    root: ROOT,
    bun: Bun.revision,
    // The hash comes first: a file that changes in between then has a later time.
    files: Object.fromEntries(
      [...inputs].map((path) => {
        const hash = hashFile(path);
        return [path, [sizeAndTime(path), hash]];
      }),
    ),
    ...(words && { words }),
  };
  writeFileSync(join(folder, basename(path)), JSON.stringify(manifest));
}
