import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment } from '../support/environment.ts';

/** A machine that does other things too, and a registry far away. */
const INSTALL_MS = 400_000;
/** What npm says if the registry does not have a package, or a version of it. */
const LACKING = /\b(E404|ETARGET)\b/;

const { stdout } = Bun.spawnSync(['npm', 'config', 'get', 'registry'], { stderr: 'ignore' });
const registry = stdout.toString().trim();

/** Installs packages into a folder. Resolves to false if the registry that npm uses on this machine lacks one. */
export async function install(folder: string, packages: Record<string, string>): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages }));
  const npm = Bun.spawn(
    [
      'npm',
      'install',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-package-lock',
      '--loglevel=error',
    ],
    {
      cwd: folder,
      env: {
        ...environment,
        HOME: folder,
        npm_config_registry: registry,
        npm_config_cache: join(folder, '.npm'),
      },
      stdout: 'ignore',
      stderr: 'pipe',
      timeout: INSTALL_MS,
      killSignal: 'SIGKILL',
    },
  );
  const said = await new Response(npm.stderr).text();
  if ((await npm.exited) === 0) return true;
  if (LACKING.test(said)) return false;
  throw new Error(`npm could not install ${Object.keys(packages).join(', ')}: ${said}`);
}
