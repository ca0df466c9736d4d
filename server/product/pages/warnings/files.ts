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

/** Files that are looked at: how many, and how large they are together. */
const MAX_FILES = 30;
const MAX_BYTES = 512 * 1024;

/** The documents and scripts among files, as many as can be read without making somebody wait. */
export function chooseReadable(files: Manifest): Array<{ path: string; hash: string; isScript: boolean }> {
  const chosen: Array<{ path: string; hash: string; isScript: boolean }> = [];
  let bytes = 0;
  for (const [path, { hash, size }] of files) {
    const isScript = /\.m?js$/i.test(path);
    if (!(isScript || /\.html?$/i.test(path)) || bytes + size > MAX_BYTES) continue;
    bytes += size;
    if (chosen.push({ path, hash, isScript }) === MAX_FILES) break;
  }
  return chosen;
}
