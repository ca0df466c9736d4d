import { domainOrigin, pageUrl } from '../../../contract/pages/pages.ts';
import { AppError } from '../../lib/errors.ts';
import type { Visit } from '../../platform/http/index.ts';

/** A page and where its form was sent from. */
interface PagePlace {
  page: { id: number; slug: string; domain: string | null };
  /** Set if the form was sent to the page's own host. */
  pageHost: Visit['pageHost'];
  baseUrl: string;
  pagesHost: string | undefined;
}

const MAX_NEXT = 2_000;
/** Paths of a page's own host that are not the page's. */
const RESERVED = /^(api|p|sdk|mcp|assets|~.*)$/i;

/** The address of the page where the form was sent from. */
export function toPageAddress({ page, pageHost, baseUrl }: PagePlace): string {
  return pageHost ? `${pageHost.origin}/` : pageUrl(baseUrl, page.slug);
}

/**
 * Resolves `_next`: a path of the page, which starts at the page wherever it is, or a URL at one of its addresses.
 * Undefined if it leads anywhere else, because a form must not send people to another site.
 */
export function resolveNext(next: string, place: PagePlace): string | undefined {
  const given = next.trim();
  // Browsers skip control characters and take a backslash for a slash.
  if (given.length > MAX_NEXT || /[\p{Cc}\\]/u.test(given) || given.startsWith('//')) return undefined;
  if (/^[a-z][a-z0-9+.-]*:/i.test(given)) return resolveUrl(given, place);
  const { page } = place;
  const path = given.replace(/^\//, '');
  const below = new RegExp(`^p/${page.slug}(?=[/?#]|$)/?`).exec(path);
  return within(below ? path.slice(below[0].length) : path, place);
}

function resolveUrl(given: string, place: PagePlace): string | undefined {
  const { page, pageHost, baseUrl, pagesHost } = place;
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  const scheme = new URL(baseUrl).protocol;
  const ownOrigins = [
    pageHost?.origin,
    pagesHost && `${scheme}//p${page.id}.${pagesHost}`,
    page.domain && domainOrigin(baseUrl, page.domain),
  ];
  if (ownOrigins.includes(url.origin))
    return within(url.href.slice(url.origin.length + 1), {
      ...place,
      pageHost: { pageId: page.id, origin: url.origin },
    });
  const root = pageUrl(baseUrl, page.slug);
  if (url.href !== root && !['/', '?', '#'].some((end) => url.href.startsWith(root + end))) return undefined;
  return within(url.href.slice(root.length).replace(/^\//, ''), { ...place, pageHost: undefined });
}

/** The URL of a path of the page; undefined if it leads out of the page. */
function within(path: string, place: PagePlace): string | undefined {
  const address = toPageAddress(place);
  if (path === '' || path.startsWith('?') || path.startsWith('#')) return URL.parse(path, address)?.href;
  const root = address.endsWith('/') ? address : `${address}/`;
  // The dot prevents that a text is taken for a scheme or a host.
  const url = URL.parse(`./${path}`, root);
  if (!url?.href.startsWith(root)) return undefined;
  const [first = ''] = url.href.slice(root.length).split(/[/?#]/, 1);
  return RESERVED.test(decoded(first)) ? undefined : url.href;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function wrongNext(): AppError {
  return new AppError(
    'BAD_REQUEST',
    '_next: must be a path of this page, such as /thanks.html or ?sent, or a URL at one of its own addresses.',
  );
}
