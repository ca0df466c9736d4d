import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { keepLocations, type References } from '../../bin/locations.ts';
import { buildModule, MODULES, toFileName } from '../../server/lib/modules.ts';
import { bundleDashboard, DASHBOARD_FILE } from '../../server/sites/dashboard-site/build.ts';
import { collectLicenses } from './licenses.ts';
import { copyPackages, EXTERNAL } from './packages.ts';

/**
 * The folder of an archive: the program `quire` with Bun and our code in it, and beside it, in `lib`, what cannot be
 * inside. Paths in `lib` are those of the project, so that our code finds files in the same way.
 */

const ROOT = join(import.meta.dir, '../..');
const MODULES_FOLDER = 'modules';
/** Files that are read at run time. */
const FILES = [
  'docs',
  'examples',
  'templates',
  'contract/rules/texts',
  'sdk/quire.d.ts',
  'server/sites/dashboard-site/editing.client.js',
  'server/sites/dashboard-site/growing.client.js',
  'server/sites/dashboard-site/preview.client.js',
  'server/platform/pictures/card/fonts',
];
/** What the sources refer to and the built program does not use: it has the results. */
const ONLY_TO_BUILD = ['.', 'dashboard', 'server/sites/dashboard-site/build.process.ts'];

/** Where `lib` is, for the program and for the modules that it runs in threads and processes. */
const LIB_OF_PROGRAM = 'process.execPath.replace(/[^/]*$/, "lib")';
const libOfHelper = (path: string) => `(import.meta.dir + "/${'../'.repeat(path.split('/').length - 1)}.")`;

export async function fillFolder(folder: string): Promise<void> {
  const lib = join(folder, 'lib');
  await mkdir(join(lib, MODULES_FOLDER), { recursive: true });
  const references: References = { helpers: new Set(), files: new Set() };
  await compileProgram(join(folder, 'quire'), references);
  for (const path of references.helpers) {
    if (!ONLY_TO_BUILD.includes(path)) await buildHelper(lib, path, references);
  }
  for (const path of MODULES) {
    await writeFile(join(lib, MODULES_FOLDER, toFileName(path)), (await buildModule(path)).code);
  }
  await writeFile(join(lib, MODULES_FOLDER, DASHBOARD_FILE), await bundleDashboard());
  for (const path of FILES) await cp(join(ROOT, path), join(lib, path), { recursive: true });
  await copyPackages(join(ROOT, 'node_modules'), join(lib, 'node_modules'));
  // For operators: units and the settings of proxies.
  await cp(join(ROOT, 'deploy'), join(folder, 'deploy'), { recursive: true });
  await cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  await writeFile(join(folder, 'LICENSES-OF-PACKAGES'), await collectLicenses(ROOT));
  await cp(join(import.meta.dir, 'README.txt'), join(folder, 'README'));
  checkComplete(lib, references);
}

/** Defined in the program and in its helpers. */
const DEFINE = { QUIRE_IS_COMPILED: 'true', QUIRE_MODULES: JSON.stringify(MODULES_FOLDER) };

async function compileProgram(outfile: string, references: References): Promise<void> {
  await Bun.build({
    entrypoints: [join(ROOT, 'bin/program.ts')],
    target: 'bun',
    format: 'cjs',
    bytecode: true,
    compile: {
      outfile,
      // These would be read from the working directory, which can contain someone else's page.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      // Needed to find the packages in `lib`. It only describes packages.
      autoloadPackageJson: true,
    },
    external: EXTERNAL,
    define: DEFINE,
    plugins: [keepLocations({ root: LIB_OF_PROGRAM, references })],
  });
}

async function buildHelper(lib: string, path: string, references: References): Promise<void> {
  const target = join(lib, path.replace(/\.ts$/, '.js'));
  const { outputs } = await Bun.build({
    entrypoints: [join(ROOT, path)],
    target: 'bun',
    external: EXTERNAL,
    define: DEFINE,
    plugins: [keepLocations({ root: libOfHelper(path), references })],
  });
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, (await outputs[0]?.text()) ?? '');
}

/** A new file that the sources read must be on the list above. */
function checkComplete(lib: string, { files }: References): void {
  const missing = [...files].filter((path) => !ONLY_TO_BUILD.includes(path) && !existsSync(join(lib, path)));
  if (missing.length > 0) throw new Error(`the archive does not have ${missing.join(', ')}`);
}
