import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { archiveName } from '../../../scripts/building/archive.ts';
import { fillFolder } from '../../../scripts/building/folder.ts';

/** An installation of the current source, and the archive of a later version that adds a table. */

const ROOT = join(import.meta.dir, '../../..');
const SOURCES = [
  'bin',
  'cli',
  'contract',
  'dashboard',
  'deploy',
  'docs',
  'examples',
  'templates',
  'scripts',
  'sdk',
  'server',
  'workers',
];
export const NEXT_VERSION = '99.0.0';

/** Installs the current version as an operator does. Returns its folder's name. */
export async function install(folder: string): Promise<string> {
  const name = archiveName();
  await fillFolder(join(folder, name));
  symlinkSync(name, join(folder, 'current'));
  return name;
}

/** Builds the archive of a later version in a folder. */
export async function buildNext(folder: string): Promise<string> {
  const tree = join(folder, 'tree');
  mkdirSync(tree, { recursive: true });
  for (const name of [...SOURCES, 'LICENSE', 'package.json', 'package-lock.json'])
    cpSync(join(ROOT, name), join(tree, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  edit(join(tree, 'package.json'), /"version": "[^"]+"/, `"version": "${NEXT_VERSION}"`);
  const storage = join(tree, 'server/platform/storage');
  writeFileSync(
    join(storage, 'migrations/9999-later.ts'),
    `import type { MigrationTools } from './tools.ts';
export async function up({ db }: MigrationTools): Promise<void> {
  await db.schema.createTable('later').addColumn('id', 'integer').execute();
}\n`,
  );
  edit(
    join(storage, 'migrate.ts'),
    /^import/m,
    "import * as later from './migrations/9999-later.ts';\nimport",
  );
  edit(
    join(storage, 'migrate.ts'),
    /(const MIGRATIONS[^}]*\}[^}]*),\n\};/,
    "$1,\n  '9999-later': later,\n};",
  );
  const script = `const { buildArchive } = await import(${JSON.stringify(join(tree, 'scripts/building/archive.ts'))});
    console.log(await buildArchive(${JSON.stringify(join(folder, 'dist'))}, { level: 0 }));`;
  const { stdout, exitCode, stderr } = Bun.spawnSync([process.execPath, '-e', script]);
  if (exitCode !== 0) throw new Error(String(stderr));
  return stdout.toString().trim();
}

function edit(path: string, from: RegExp, to: string): void {
  const text = readFileSync(path, 'utf8');
  if (!from.test(text)) throw new Error(`${path} does not have ${from}`);
  writeFileSync(path, text.replace(from, to));
}
