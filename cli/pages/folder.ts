import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { CommandError, EXIT, UsageError } from '../usage.ts';
import { type PageJson, parsePageJson } from './page-json.ts';

/** Files of a page's folder that a push sends. */
export const PAGE_FILES = ['index.html', 'page.json', 'function.js', 'agent-spec.md'] as const;

/** A page as it lies on the disk. */
export interface PageFolder {
  folder: string;
  /** The document's file in it. */
  file: string;
  html: string;
  settings: PageJson;
  /** What a new page is called when nobody says. */
  title: string;
  /** The function's code, where the page has one, and its file as the caller would spell it. */
  code: { file: string; text: string } | undefined;
  spec: string | undefined;
}

/** Reads a folder with a page, or an HTML file by itself. */
export async function readPageFolder(path: string): Promise<PageFolder> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new CommandError(`There is no ${path}.`, EXIT.notFound);
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
  if (html === undefined) throw new CommandError(`There is no ${at('index.html')}.`, EXIT.notFound);
  const json = await readInside(path, 'page.json');
  const { agent_spec, ...settings } = json === undefined ? {} : parsePageJson(at('page.json'), json);
  const text = await readInside(path, 'agent-spec.md');
  if (agent_spec !== undefined && text !== undefined) {
    throw new CommandError(`${path} has agent-spec.md and agent_spec in page.json: keep one of them.`);
  }
  const code = await readInside(path, 'function.js');
  if (settings.function && code === undefined) {
    throw new CommandError(
      `page.json names a function, but there is no ${at('function.js')}.`,
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

/** A file's text; undefined when there is no such file. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CommandError(`${path} cannot be read: ${message}`);
  }
}

/** The text of a folder's own file; undefined when there is no such file. */
export async function readInside(folder: string, name: string): Promise<string | undefined> {
  await assertInside(folder, name);
  return readIfThere(join(folder, name));
}

/** Refuses a link that leads out of its folder: a folder from elsewhere must not publish what else is on this machine. */
export async function assertInside(folder: string, name: string): Promise<void> {
  const path = join(folder, name);
  const [inside, real] = await Promise.all([realpath(folder), realpath(path)]).catch(() => []);
  if (inside === undefined || real === undefined) return;
  if (real.startsWith(inside.endsWith(sep) ? inside : inside + sep)) return;
  throw new CommandError(`${path} is a link that leads out of its folder. Put a file in its place.`);
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
