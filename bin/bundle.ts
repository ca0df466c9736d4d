import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CACHE, MANIFEST, type Manifest, ROOT, stateOf } from './launch.ts';

/** Bundles Quire into one file with bytecode. Safe to run several times at once: the last one wins. */

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

mkdirSync(CACHE, { recursive: true });
const folder = mkdtempSync(join(CACHE, 'bundle-'));
// As readable as the source: the server may run as another user.
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
  plugins: [keepLocations],
});
const paths = Object.keys(metafile?.inputs ?? {}).map((path) => relative(ROOT, path));
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
