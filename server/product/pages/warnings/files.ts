import type { Manifest } from '../files/manifest.ts';
import { decodePath, resolvePath } from '../serving/files/resolve.ts';

/**
 * The path of the file that an address in the document of a page leads to, and whether the page has it. The path is
 * undefined if the address leads out of the page.
 */
export function findFile(files: Manifest, address: string): { path: string | undefined; isThere: boolean } {
  // Resolve two folders deep, so that `..` out of the page shows.
  const { pathname } = new URL(address.replace(/^\/+/, ''), 'http://page/a/b/');
  const written = pathname.startsWith(ROOT) ? pathname.slice(ROOT.length) : undefined;
  if (written === undefined) return { path: undefined, isThere: false };
  return { path: decodePath(written), isThere: resolvePath(files, written).kind !== 'missing' };
}

const ROOT = '/a/b/';
