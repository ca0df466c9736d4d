import { escapeHtml } from '../../../../lib/text.ts';
import { authorTags } from './author-tags.ts';

/** Tags for link previews, made from what is known about the page. Only those the author did not write. */
export function missingPreviewTags(
  html: string,
  page: { name: string; description: string; url: string; preview_image: string | null },
): string {
  const present = authorTags(html);
  const values: Array<[key: string, value: string | null]> = [
    ['title', page.name],
    ['description', page.description],
    ['image', page.preview_image],
  ];
  const tags: string[] = [];
  const add = (attribute: 'property' | 'name', key: string, value: string | null) => {
    if (value && !present.has(key)) tags.push(`<meta ${attribute}="${key}" content="${escapeHtml(value)}">`);
  };
  for (const [key, value] of values) {
    add('property', `og:${key}`, value);
    // Readers fall back from Twitter's tags to Open Graph's: ours must not replace what the author wrote
    // there.
    if (!present.has(`og:${key}`)) add('name', `twitter:${key}`, value);
  }
  add('property', 'og:url', page.url);
  add('property', 'og:type', 'website');
  add('name', 'twitter:card', page.preview_image ? 'summary_large_image' : 'summary');
  if (!present.has('description')) add('name', 'description', page.description);
  return tags.join('');
}
