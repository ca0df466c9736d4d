import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildModule, fileOf, MODULES } from '../server/lib/modules.ts';
import { CACHE, MANIFEST, type Manifest, ROOT, stateOf } from './launch.ts';

/**
 * Bundles Quire into one file with bytecode, and the modules that run elsewhere beside it. Safe to run several times at
 * once: the last one wins.
 */

/** Our modules find files by their own location, which is not that of the bundle. */
const keepLocations: Bun.BunPlugin = {
  name: 'keep locations',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const contents = text
        .replaceAll('import.meta.dir', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
      return { loader: 'ts', contents };
    });
  },
};

// As readable as the source: the server may run as another user.
process.umask(0o022);
const startedAt = Date.now();
mkdirSync(CACHE, { recursive: true });
const folder = mkdtempSync(join(CACHE, 'bundle-'));
chmodSync(folder, 0o755);
const { metafile } = await Bun.build({
  entrypoints: [join(ROOT, 'server/main.ts')],
  outdir: folder,
  target: 'bun',
  format: 'cjs',
  bytecode: true,
  metafile: true,
  // It has a native part.
  external: ['sharp'],
  define: { QUIRE_MODULES: JSON.stringify(folder) },
  plugins: [keepLocations],
});
const inputs = new Set(Object.keys(metafile?.inputs ?? {}));
for (const path of MODULES) {
  const module = await buildModule(path);
  writeFileSync(join(folder, fileOf(path)), module.code);
  for (const input of module.inputs) inputs.add(input);
}
const paths = [...inputs].map((path) => relative(ROOT, path));
const isChanged = paths.some((path) => statSync(join(ROOT, path)).mtimeMs >= startedAt);
if (isChanged) {
  rmSync(folder, { recursive: true });
  throw new Error('A file was changed while it was bundled.');
}
const manifest: Manifest = {
  main: join(folder, 'main.js'),
  root: ROOT,
  bun: Bun.revision,
  files: Object.fromEntries(paths.map((path) => [path, stateOf(path)])),
};
writeFileSync(join(folder, 'bundle.json'), JSON.stringify(manifest));
renameSync(join(folder, 'bundle.json'), MANIFEST);
for (const name of readdirSync(CACHE)) {
  const path = join(CACHE, name);
  if (name.startsWith('bundle-') && path !== folder) rmSync(path, { recursive: true, force: true });
}
