import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import {
  BUILD_OUTPUTS,
  findBuildCommand,
  needsBuild,
  readPackageJson,
} from '../../contract/rules/projects/builds.ts';
import { CommandError } from '../usage.ts';
import { readInside } from './files/inside.ts';

/** A project has sources, which a build turns into the files that browsers get. */
export interface Project {
  folder: string;
  /** The command that builds it. */
  command: string[];
  /** The packages that it names. */
  packages: Set<string>;
}

/** The project in a folder, if it has to be built before it can be published. */
export async function findProject(folder: string): Promise<Project | undefined> {
  const text = await readInside(folder, 'package.json');
  const found = text === undefined ? undefined : readPackageJson(text);
  if (!found || !needsBuild(found, await readInside(folder, 'index.html'))) return undefined;
  const command = findBuildCommand(await readdir(folder));
  return { folder: resolve(folder), command, packages: found.packages };
}

/** The project whose build is in this folder. */
export async function findProjectOfBuild(folder: string): Promise<Project | undefined> {
  const path = resolve(folder);
  const output = BUILD_OUTPUTS.find((each) => path.endsWith(`/${each}`));
  if (output === undefined) return undefined;
  const root = output.split('/').reduce(dirname, path);
  return basename(root) === '' ? undefined : findProject(root);
}

/** The folder with what a build has made. */
export async function findOutput(folder: string): Promise<string | undefined> {
  for (const name of BUILD_OUTPUTS) {
    const path = join(folder, name);
    if (await stat(join(path, 'index.html')).catch(() => undefined)) return path;
  }
  return undefined;
}

/** Builds a project. What its programs print goes to standard error, because standard output is for the result. */
export async function build({ folder, command }: Project): Promise<string> {
  const said = command.join(' ');
  const exitCode = await Bun.spawn(command, { cwd: folder, stdio: ['inherit', 2, 'inherit'] }).exited.catch(
    () => undefined,
  );
  if (exitCode !== 0)
    throw new CommandError(
      `${said} failed in ${folder}. Nothing was sent. Repair what it says, and push again.`,
    );
  const output = await findOutput(folder);
  if (output !== undefined) return output;
  throw new CommandError(
    `${said} has made no index.html in ${BUILD_OUTPUTS.slice(0, 4).join(', ')}. Push the folder that it has made: quire pages push <folder>.`,
  );
}
