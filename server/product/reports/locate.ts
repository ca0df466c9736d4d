import { AppError } from '../../lib/errors.ts';
import type { Db, PageRow } from '../../platform/storage/index.ts';
import type { ReportsContext } from './context.ts';

/** Which page somebody means. */
type Meant = { idOrSlug: string } | { domain: string } | undefined;

/** Reads a slug, an id, a path or an address of a page. Undefined if it cannot be one of this service. */
export function readPlace(
  typed: string,
  { baseUrl, pagesHost }: { baseUrl: string; pagesHost: string | undefined },
): Meant {
  const given = typed.trim();
  const base = new URL(baseUrl);
  // People leave out the scheme, but not the slash after a host.
  const hasHost = /^https?:\/\//i.test(given) || (/^[^/\s]+[.:][^/\s]*(\/|$)/.test(given) && given !== '');
  if (!hasHost && !given.includes('/')) return given === '' ? undefined : { idOrSlug: given.toLowerCase() };
  const url = URL.parse(hasHost && !/^https?:/i.test(given) ? `${base.protocol}//${given}` : given, baseUrl);
  if (!url) return undefined;
  const own = pagesHost && hostName(url.host, pagesHost);
  if (own) return { idOrSlug: own };
  if (url.host !== base.host) return { domain: url.hostname };
  const slug = /^\/(?:p|pages)\/(?:~(?=\d))?([^/]+)/.exec(url.pathname)?.[1];
  return slug === undefined ? undefined : { idOrSlug: decoded(slug).toLowerCase() };
}

/** The id of the page of `p<id>.<pages host>`. */
function hostName(host: string, pagesHost: string): string | undefined {
  if (!host.endsWith(`.${pagesHost}`)) return undefined;
  return /^p([1-9]\d{0,14})$/.exec(host.slice(0, -pagesHost.length - 1))?.[1];
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Finds a page by what somebody has typed. Fails like a page that does not exist if it is a draft. */
export async function findReported(
  { pages, findPageOfDomain, ...place }: ReportsContext,
  db: Db,
  typed: string,
): Promise<PageRow> {
  const meant = readPlace(typed, place);
  const id = meant && 'domain' in meant ? await findPageOfDomain(meant.domain) : undefined;
  const idOrSlug = meant && 'idOrSlug' in meant ? meant.idOrSlug : id?.toString();
  const page = idOrSlug === undefined ? undefined : await pages.find(db, idOrSlug);
  const refusal = page && (await pages.refusal(db, page, { actor: undefined }));
  if (!page || refusal === 'not found') throw noPage();
  if (refusal === 'taken down')
    throw new AppError('CONFLICT', 'This page is taken down already. You need not report it.');
  return page;
}

export const noPage = () =>
  new AppError(
    'NOT_FOUND',
    'There is no page at this address. Copy the address from your browser, and send the report again.',
  );
