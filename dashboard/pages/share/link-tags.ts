import { decodeHTML } from 'entities/decode';

/** What the author of a document wrote for links to it. */
interface LinkTags {
  title?: string | undefined;
  description?: string | undefined;
  image?: string | undefined;
}

const META = /<meta\b[^<>]*>/gi;
// A name is tried once, from its start, so that a very long one takes no time.
const ATTRIBUTE = /(?<![a-z:-])([a-z:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/**
 * Reads the tags that messengers read. As text: a parser of the browser would report the inline styles of the document,
 * which the dashboard does not allow.
 */
export function readLinkTags(html: string): LinkTags {
  const found: Record<string, string> = {};
  for (const [tag] of html.matchAll(META)) {
    const { property, name, content } = readAttributes(tag);
    const key = (property ?? name ?? '').toLowerCase();
    if (key.startsWith('og:') && content?.trim()) found[key.slice(3)] ??= content.trim();
  }
  return { title: found.title, description: found.description, image: found.image };
}

const readAttributes = (tag: string): Record<string, string> =>
  Object.fromEntries(
    [...tag.matchAll(ATTRIBUTE)].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      decodeHTML(double ?? single ?? bare ?? ''),
    ]),
  );
