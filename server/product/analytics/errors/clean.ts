import {
  MAX_ERROR_MESSAGE,
  MAX_ERROR_SOURCE,
  MAX_ERROR_STACK,
} from '../../../../contract/analytics/limits.ts';

/** Replaces URLs in error reports by places in the page: URLs can contain secrets. */

interface PlacedPage {
  slug: string;
  /** The origins of the page: its own hosts. */
  origins: string[];
  /** The URL of the service, where the page is at `/p/<slug>`. */
  baseUrl: string;
}

/** The name of the page's document in a stack. */
const DOCUMENT = 'page';
const ADDRESS = /https?:\/\/[^\s"'()<>@]+/g;
const PLACE = /^(.*?)((?::\d{1,9}){0,2})$/;

/** The file of the page that a script is in: empty for its document. Other addresses have no query. */
export function toPageLocation(address: string, page: PlacedPage): string {
  const url = URL.parse(address);
  if (!url) return '';
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return url.protocol === 'about:' ? '' : url.protocol;
  const below = pathBelow(url, page);
  // Remove the key in the URLs of a page that not everyone can see, and the link of a draft.
  const path = below?.replace(/^~(preview\/)?[^/]*\/?/, '');
  const place = path ?? url.origin + url.pathname;
  return storable(place, MAX_ERROR_SOURCE);
}

function pathBelow({ origin, pathname }: URL, { slug, origins, baseUrl }: PlacedPage): string | undefined {
  if (origins.includes(origin)) return pathname.slice(1);
  const root = `/p/${slug}`;
  if (origin !== baseUrl || !(pathname === root || pathname.startsWith(`${root}/`))) return undefined;
  return pathname.slice(root.length + 1);
}

const cleaned = (text: string, page: PlacedPage) =>
  text.replace(ADDRESS, (found) => {
    const [, address = '', place = ''] = PLACE.exec(found) ?? [];
    return (toPageLocation(address, page) || DOCUMENT) + place;
  });

export const cleanMessage = (message: string, page: PlacedPage) =>
  storable(cleaned(message, page), MAX_ERROR_MESSAGE);

export const cleanStack = (stack: string, page: PlacedPage) =>
  storable(cleaned(stack, page), MAX_ERROR_STACK);

/** A text that every database can store. */
function storable(text: string, max: number): string {
  return text.slice(0, max).toWellFormed().replaceAll('\0', '\ufffd');
}
