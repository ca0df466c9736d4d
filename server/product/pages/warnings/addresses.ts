import { trimTrailing } from '../../../lib/text.ts';

/** Paths that the service itself serves, on its own host and on those of pages. */
const SERVED = /^\/(p|api|images|sdk|docs)\/|^\/llms\.txt$/;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** An address that a script or a template engine fills in. */
const IS_FILLED_IN = /[{}<>]|\[\[/;
const HAS_EXTENSION = /\.[a-z0-9]{1,8}$/i;

/**
 * The path of a file that would have to be beside the page, if an address leads to one. Paths from the root count only
 * if they look like a file, because the service answers many others.
 */
export function fileBesidePage(address: string): string | undefined {
  const given = address.trim();
  if (SCHEME.test(given) || given.startsWith('//') || IS_FILLED_IN.test(given)) return undefined;
  const path = /^[^?#]*/.exec(given)?.[0] ?? '';
  if (path === '' || path === '.' || path === './' || path === '/') return undefined;
  if (!path.startsWith('/')) return path;
  return HAS_EXTENSION.test(path) && !SERVED.test(path) ? path : undefined;
}

/** The slug of the function that an address calls. */
export function functionSlugIn(address: string, baseUrl: string): string | undefined {
  const path = address.startsWith(`${baseUrl}/`) ? address.slice(baseUrl.length) : address;
  return /^\/api\/functions\/([a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?)(?=$|[/?#])/.exec(path)?.[1];
}

/** The addresses in a list of images, such as `a.png 1x, b.png 2x`. */
export function* addressesInSrcset(srcset: string): Generator<string> {
  // An address with a comma, such as a data: URL, is followed by a space only at its end.
  for (const [, address = ''] of srcset.matchAll(/(?:^|,\s|,)\s*([^\s,]\S*)/g)) {
    yield trimTrailing(address, ',');
    if (/^data:/i.test(address)) return;
  }
}
