import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
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

/** Programs that build sites. */
const BUILDERS = [
  'vite',
  'astro',
  'next',
  'nuxt',
  'vitepress',
  'parcel',
  'webpack',
  'gatsby',
  'react-scripts',
  'rollup',
  'esbuild',
  '@11ty/eleventy',
  '@docusaurus/core',
  '@sveltejs/kit',
  '@angular/cli',
];

/** Packages that show many addresses with one document. */
const ROUTERS = ['react-router', 'react-router-dom', '@tanstack/react-router', 'vue-router', 'wouter'];

/** Where builds put their files. */
const OUTPUTS = [
  'dist',
  'build',
  'out',
  '_site',
  '.output/public',
  '.vitepress/dist',
  'docs/.vitepress/dist',
];

/** A document with sources that only a build understands. */
const SOURCES = /<script\b[^>]*\bsrc\s*=\s*["']?[^"'>]*\.(?:tsx?|jsx|vue|svelte)\b/i;

/** Lock files, and the programs that write them. */
const LOCKS: Array<[file: string, program: string]> = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

/** The project in a folder, if it has to be built before it can be published. */
export async function findProject(folder: string): Promise<Project | undefined> {
  const found = await readPackage(folder);
  if (!found?.hasBuild) return undefined;
  const html = await readInside(folder, 'index.html');
  const isSource = html === undefined || SOURCES.test(html);
  if (!isSource && !BUILDERS.some((name) => found.packages.has(name))) return undefined;
  const { packages } = found;
  return { folder: resolve(folder), command: [await findProgram(folder), 'run', 'build'], packages };
}

/** The project whose build is in this folder. */
export async function findProjectOfBuild(folder: string): Promise<Project | undefined> {
  const path = resolve(folder);
  const output = OUTPUTS.find((each) => path.endsWith(`/${each}`));
  if (output === undefined) return undefined;
  const root = output.split('/').reduce(dirname, path);
  return basename(root) === '' ? undefined : findProject(root);
}

/** The folder with what a build has made. */
export async function findOutput(folder: string): Promise<string | undefined> {
  for (const name of OUTPUTS) {
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
    `${said} has made no index.html in ${OUTPUTS.slice(0, 4).join(', ')}. Push the folder that it has made: quire pages push <folder>.`,
  );
}

/** Whether the build shows many addresses with one document. */
export const hasRouter = ({ packages }: Project) => ROUTERS.some((name) => packages.has(name));

async function findProgram(folder: string): Promise<string> {
  for (const [file, program] of LOCKS)
    if (await stat(join(folder, file)).catch(() => undefined)) return program;
  return 'npm';
}

async function readPackage(
  folder: string,
): Promise<{ hasBuild: boolean; packages: Set<string> } | undefined> {
  const text = await readInside(folder, 'package.json');
  if (text === undefined) return undefined;
  try {
    const { scripts, dependencies, devDependencies } = JSON.parse(text) as Record<string, object | undefined>;
    return {
      hasBuild: Object.hasOwn(scripts ?? {}, 'build'),
      packages: new Set(Object.keys({ ...dependencies, ...devDependencies })),
    };
  } catch {
    return undefined;
  }
}
