import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { CommandError, EXIT, UsageError } from '../usage.ts';
import { type PageJson, parsePageJson } from './page-json.ts';

/** The files that a push sends. */
export const PAGE_FILES = ['index.html', 'page.json', 'function.js', 'agent-spec.md'] as const;

/** A page on disk. */
export interface PageFolder {
  folder: string;
  /** The file of the document. */
  file: string;
  html: string;
  settings: PageJson;
  /** The name of a new page if none is given. */
  title: string;
  /** The function's code, if the page has one, and its path for error messages. */
  code: { file: string; text: string } | undefined;
  spec: string | undefined;
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
  const html = (await readInside(dirname(path), basename(path))) ?? '';
  const title = titleOf(html) ?? basename(path).replace(/\.html?$/i, '');
  return { folder, file: basename(path), html, settings: {}, title, code: undefined, spec: undefined };
}

async function readFolder(path: string): Promise<PageFolder> {
  const at = (name: string) => join(path, name);
  const html = await readInside(path, 'index.html');
  if (html === undefined) throw new CommandError(`${at('index.html')} does not exist.`, EXIT.notFound);
  const json = await readInside(path, 'page.json');
  const { agent_spec, ...settings } = json === undefined ? {} : parsePageJson(at('page.json'), json);
  const text = await readInside(path, 'agent-spec.md');
  if (agent_spec !== undefined && text !== undefined) {
    throw new CommandError(`${path} has both agent-spec.md and agent_spec in page.json. Remove one of them.`);
  }
  const code = await readInside(path, 'function.js');
  if (settings.function && code === undefined) {
    throw new CommandError(
      `page.json names a function, but ${at('function.js')} does not exist.`,
      EXIT.notFound,
    );
  }
  if (code !== undefined && !settings.function) {
    throw new CommandError(`${at('function.js')} needs "function": { "slug": "…" } in page.json.`);
  }
  return {
    folder: resolve(path),
    file: 'index.html',
    html,
    settings,
    title: titleOf(html) ?? basename(resolve(path)),
    code: code === undefined ? undefined : { file: at('function.js'), text: code },
    spec: agent_spec ?? text,
  };
}

/** The text of a file; undefined if it does not exist. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CommandError(`Cannot read ${path}: ${message}`);
  }
}

/** The text of a file inside the folder; undefined if it does not exist. */
export async function readInside(folder: string, name: string): Promise<string | undefined> {
  await assertInside(folder, name);
  return readIfThere(join(folder, name));
}

/** Rejects links out of the folder, so a folder from someone else cannot publish other files of this machine. */
export async function assertInside(folder: string, name: string): Promise<void> {
  const path = join(folder, name);
  const [inside, real] = await Promise.all([realpath(folder), realpath(path)]).catch(() => []);
  if (inside === undefined || real === undefined) return;
  if (real.startsWith(inside.endsWith(sep) ? inside : inside + sep)) return;
  throw new CommandError(`${path} links outside its folder. Replace it with a file.`);
}

function titleOf(html: string): string | undefined {
  const [, title = ''] = /<title[^>]*>([^<]*)<\/title>/i.exec(html) ?? [];
  const entities: Record<string, string> = {
    '&amp;': '&',
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
  };
  return title.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity).trim() || undefined;
}
