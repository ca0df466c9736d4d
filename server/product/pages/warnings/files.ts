import type { Manifest } from '../files/manifest.ts';
import { decodePath, encodePath, resolvePath } from '../serving/files/resolve.ts';

/**
 * The path of the file that an address in a document leads to, and whether the page has it. The path is undefined if the
 * address leads out of the page. `folder` is that of the document, with a slash at its end.
 */
export function findFile(
  files: Manifest,
  address: string,
  folder = '',
): { path: string | undefined; isThere: boolean } {
  // Resolve two folders deep, so that `..` out of the page shows.
  const base = address.startsWith('/') ? '' : encodePath(folder);
  const { pathname } = new URL(address.replace(/^\/+/, ''), `http://page${ROOT}${base}`);
  const written = pathname.startsWith(ROOT) ? pathname.slice(ROOT.length) : undefined;
  if (written === undefined) return { path: undefined, isThere: false };
  return { path: decodePath(written), isThere: resolvePath(files, written).kind !== 'missing' };
}

const ROOT = '/a/b/';

/** Files that are looked at: how many, and how large. What is larger was made by a program, which makes other mistakes. */
const MAX_FILES = 30;
const MAX_BYTES = 64 * 1024;

/** The documents and scripts among files: documents first, because they take less time. */
export function chooseReadable(files: Manifest): Array<{ path: string; hash: string; isScript: boolean }> {
  const small = [...files].filter(([, { size }]) => size <= MAX_BYTES);
  const choose = (pattern: RegExp, isScript: boolean) =>
    small.flatMap(([path, { hash }]) => (pattern.test(path) ? [{ path, hash, isScript }] : []));
  return [...choose(/\.html?$/i, false), ...choose(/\.m?js$/i, true)].slice(0, MAX_FILES);
}
