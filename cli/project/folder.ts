import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { PageJson } from '../../contract/pages/page-json.ts';
import { readTitle } from '../../contract/rules/projects/document-title.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';
import { findProjectOfBuild, type Project } from './build.ts';
import { readInside } from './files/inside.ts';
import type { LeftOut } from './files/left-out.ts';
import { isOwnFile, type LocalFile, scanFiles } from './files/scan.ts';
import { type LocalFunction, readFunctionFolders, toLocalFunction } from './function-folder.ts';
import { findSource, withProjectFiles } from './function-source.ts';
import { parsePageJson } from './page-json.ts';

/** A page on disk. */
export interface PageFolder {
  folder: string;
  /** The file of the document. */
  file: string;
  html: string;
  settings: PageJson;
  /** The name of a new page if none is given. */
  title: string;
  /** The functions that are in the folder. */
  functions: LocalFunction[];
  spec: string | undefined;
  /** The files beside the document; undefined if the page is a single document, whose files are left as they are. */
  files: LocalFile[] | undefined;
  /** What is in the folder and is not sent. */
  left: LeftOut[];
  /** The project that the page was built from, if it was. */
  project: Project | undefined;
  /** The texts of the files above by name, as they were read. */
  texts: Record<string, string>;
}

/** Reads a folder with a page, or a single HTML file. */
export async function readPageFolder(path: string): Promise<PageFolder> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new CommandError(`${path} does not exist.`, EXIT.notFound);
  if (found.isDirectory()) return readFolder(path);
  const isDocument = /\.html?$/i.test(path);
  if (!isDocument) throw new UsageError(`${path} is neither a folder nor an .html file.`);
  const folder = dirname(resolve(path));
  const isPage = basename(path) === 'index.html' && (await readInside(folder, 'page.json')) !== undefined;
  if (isPage) return readFolder(dirname(path));
  const file = basename(path);
  const html = (await readInside(dirname(path), file)) ?? '';
  const title = readTitle(html) ?? file.replace(/\.html?$/i, '');
  const none = {
    settings: {},
    functions: [],
    spec: undefined,
    files: undefined,
    left: [],
    project: undefined,
  };
  return { folder, file, html: withoutMark(html), title, ...none, texts: { [file]: html } };
}

/** Where the document is, as the person would write it. */
export const documentPath = (path: string, { file }: PageFolder): string =>
  basename(path) === file ? path : join(path, file);

/**
 * Reads a folder with a page. What a build makes is deleted by the next build, so settings, the function and what is
 * known about the page are in the folder of its project.
 */
async function readFolder(built: string): Promise<PageFolder> {
  const project = await findProjectOfBuild(built);
  const path = project?.folder ?? built;
  const at = (name: string) => join(path, name);
  const html = await readInside(built, 'index.html');
  if (html === undefined)
    throw new CommandError(`${join(built, 'index.html')} does not exist.`, EXIT.notFound);
  const json = await readInside(path, 'page.json');
  const { agent_spec, ...settings } = json === undefined ? {} : parsePageJson(at('page.json'), json);
  const text = await readInside(path, 'agent-spec.md');
  if (agent_spec !== undefined && text !== undefined) {
    throw new CommandError(`${path} has both agent-spec.md and agent_spec in page.json. Remove one of them.`);
  }
  const own = await readOwnFunction(path, settings);
  const functions = [...(own ? [own] : []), ...(await readFunctionFolders(path))];
  assertDifferent(functions, path);
  const read = { 'index.html': html, 'page.json': json, 'agent-spec.md': text };
  return {
    folder: resolve(path),
    file: 'index.html',
    html: withoutMark(html),
    settings,
    title: readTitle(html) ?? basename(resolve(path)),
    functions,
    spec: agent_spec ?? text,
    ...(await scanFiles(built, {
      project: project?.folder,
      modules: own?.source.files,
      folders: functions.map(({ under }) => under).filter(Boolean),
    })),
    project,
    texts: Object.fromEntries(
      Object.entries(read).flatMap(([name, each]) => (each === undefined ? [] : [[name, each]])),
    ),
  };
}

/** The function whose main module is beside the document. `page.json` has its settings. */
async function readOwnFunction(path: string, settings: PageJson): Promise<LocalFunction | undefined> {
  const main = await findSource(path, 'function');
  if (settings.function && !main) {
    throw new CommandError(
      `page.json names a function, but ${join(path, 'function.ts')} and ${join(path, 'function.js')} do not exist.`,
      EXIT.notFound,
    );
  }
  if (!main) return undefined;
  if (!settings.function)
    throw new CommandError(`${main.file} needs "function": { "slug": "…" } in page.json.`);
  const source = await withProjectFiles(path, main);
  return toLocalFunction(settings.function, source, path);
}

function assertDifferent(functions: LocalFunction[], path: string): void {
  const slugs = functions.map(({ fields }) => fields.slug);
  const twice = slugs.find((slug, index) => slugs.indexOf(slug) !== index);
  if (twice !== undefined) throw new CommandError(`${path} has the function ${twice} twice. Remove one.`);
}

/** Whether a file of the page on the server has a name that means something else in the folder. */
export const isOwnPath =
  ({ functions }: { functions: Array<Pick<LocalFunction, 'under'>> }) =>
  (path: string): boolean =>
    isOwnFile(path) || functions.some(({ under }) => under !== '' && path.startsWith(under));

/** Some editors on Windows start a file with a byte order mark, which the service does not store. */
const withoutMark = (html: string) => html.replace(/^\uFEFF/, '');
