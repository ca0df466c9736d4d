import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench.ts';

/** Installs an npm package that Quire does not depend on into a temporary folder, once for all benchmarks of a run. */
export async function installPackage(
  bench: Bench,
  name: string,
  version: string,
): Promise<{ version: string; folder: string }> {
  for (const command of ['node', 'npm']) {
    if (!Bun.which(command)) throw new Error(`The benchmark needs ${command}, to install ${name}.`);
  }
  const folder = join(bench.sharedFolder, name);
  const manifest = join(folder, 'node_modules', name, 'package.json');
  // npm writes this file last.
  if (!existsSync(join(folder, 'package-lock.json'))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    console.error(`Installing ${name} into a temporary folder`);
    const npm = Bun.spawn(
      ['npm', 'install', `${name}@${version}`, '--no-audit', '--no-fund', '--loglevel=error'],
      { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    bench.atEnd(() => {
      npm.kill();
      return npm.exited;
    });
    if ((await npm.exited) !== 0) throw new Error(`npm could not install ${name}.`);
  }
  const installed = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return { version: installed.version, folder };
}
