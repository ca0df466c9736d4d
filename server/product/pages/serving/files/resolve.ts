import { normalizeFilePath } from '../../../../../contract/rules/file-paths.ts';
import type { FileEntry, Manifest } from '../../files/manifest.ts';
import { isRuleFile } from '../../files/rule-files.ts';

/** What a path below a page leads to. */
export type ResolvedPath =
  /** The page's own document. */
  | { kind: 'page' }
  | { kind: 'file'; path: string; entry: FileEntry }
  /** A folder with a document: browsers need a slash at the end, or links in it lead somewhere else. */
  | { kind: 'folder'; path: string }
  /** Nothing is there. The page may have a document for this case, and another one for people who open the path. */
  | { kind: 'missing'; page?: SiteFile; app?: SiteFile };

interface SiteFile {
  path: string;
  entry: FileEntry;
}

/** The page's own document; it is not among its files. */
const INDEX = 'index.html';
const MISSING_PAGE = '404.html';
/** The document of a single-page app, for all paths that lead nowhere. */
const APP_PAGE = '200.html';
/** A stored path has 1,000 bytes: nine characters of a URL for each is more than any way to write it takes. */
const MAX_WRITTEN = 9_000;

/** Finds what a path below the page's root leads to. The path is as the client sent it. */
export function resolvePath(files: Manifest, written: string): ResolvedPath {
  const path = decodePath(written);
  return (path !== undefined && find(files, path)) || missing(files);
}

function find(files: Manifest, path: string): ResolvedPath | undefined {
  if (isRuleFile(path)) return undefined;
  if (path === '' || path === INDEX) return { kind: 'page' };
  if (path.endsWith('/')) return file(files, path + INDEX);
  const found = file(files, path) ?? file(files, `${path}.html`);
  if (found) return found;
  return files.has(`${path}/${INDEX}`) ? { kind: 'folder', path } : undefined;
}

function file(files: Manifest, path: string): ResolvedPath | undefined {
  const entry = files.get(path);
  return entry && { kind: 'file', path, entry };
}

function missing(files: Manifest): ResolvedPath {
  const [page, app] = [MISSING_PAGE, APP_PAGE].map((path) => {
    const entry = files.get(path);
    return entry && { path, entry };
  });
  return { kind: 'missing', ...(page && { page }), ...(app && { app }) };
}

/** The path that a URL means, or undefined if it cannot be that of a file. */
export function decodePath(written: string): string | undefined {
  if (written.length > MAX_WRITTEN) return undefined;
  let path = written;
  if (path.includes('%')) {
    // An encoded slash is a part of a name, and no name has one.
    if (/%2f/i.test(path)) return undefined;
    try {
      path = decodeURIComponent(path);
    } catch {
      return undefined;
    }
  }
  return normalizeFilePath(path);
}

/** A path as it is written in a URL. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
