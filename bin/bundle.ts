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
import { join, relative } from 'node:path';
import { buildModule, fileOf, MODULES } from '../server/lib/modules.ts';
import { CACHE, hashOf, MANIFEST, type Manifest, ROOT, sizeAndTime } from './launch.ts';
import { keepLocations } from './locations.ts';

/**
 * Bundles Quire into one file with bytecode, and the modules that run elsewhere beside it. Safe to run several times at
 * once: the last one wins.
 */

/** A younger folder may belong to a bundle that is just being made or started. */
const KEEP_MS = 60_000;

// As readable as the source, because the server may run as another user, and writable for nobody else.
process.umask(0o022);
mkdirSync(CACHE, { recursive: true });
const folder = mkdtempSync(join(CACHE, 'bundle-'));
chmodSync(folder, 0o755);
const startedAt = statSync(folder).ctimeMs;
const { metafile } = await Bun.build({
  entrypoints: [join(ROOT, 'server/main.ts')],
  outdir: folder,
  target: 'bun',
  format: 'cjs',
  bytecode: true,
  metafile: true,
  // The first has a native part. Only one command needs the other, and every start would read it.
  external: ['sharp', '@codemirror/merge'],
  define: { QUIRE_MODULES: JSON.stringify(folder) },
  plugins: [keepLocations({ root: JSON.stringify(ROOT) })],
});
const inputs = new Set(Object.keys(metafile?.inputs ?? {}));
for (const path of MODULES) {
  const module = await buildModule(path);
  writeFileSync(join(folder, fileOf(path)), module.code);
  for (const input of module.inputs) inputs.add(input);
}
const paths = [...inputs].map((path) => relative(ROOT, path));
const manifest: Manifest = {
  main: join(folder, 'main.js'),
  root: ROOT,
  bun: Bun.revision,
  // The hash comes first: a file that changes in between then has a later time.
  files: Object.fromEntries(
    paths.map((path) => {
      const hash = hashOf(path);
      return [path, [sizeAndTime(path), hash]];
    }),
  ),
};
const isChanged = paths.some((path) => statSync(join(ROOT, path)).ctimeMs >= startedAt);
if (isChanged) {
  rmSync(folder, { recursive: true });
  throw new Error('A file was changed while it was bundled.');
}
writeFileSync(join(folder, 'bundle.json'), JSON.stringify(manifest));
// After a power failure, a complete manifest could otherwise name an empty bundle, which would start nothing.
for (const name of readdirSync(folder)) {
  const file = openSync(join(folder, name), 'r');
  fsyncSync(file);
  closeSync(file);
}
renameSync(join(folder, 'bundle.json'), MANIFEST);
for (const name of readdirSync(CACHE).filter((name) => name.startsWith('bundle-'))) {
  const path = join(CACHE, name);
  const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (path !== folder && madeAt < Date.now() - KEEP_MS) rmSync(path, { recursive: true, force: true });
}
