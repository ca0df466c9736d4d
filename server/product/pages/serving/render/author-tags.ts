import { readAttributes, walkTags } from './tags.ts';

/** The first letters of `meta`, and of elements whose content is text. */
const LETTERS = new Set([...'mstxinp'].map((letter) => letter.charCodeAt(0)));

/** The names of the `<meta>` tags in a document, in lower case. */
export function authorTags(html: string): Set<string> {
  const found = new Set<string>();
  walkTags(
    html,
    (tag) => {
      if (tag.name !== 'meta') return;
      for (const { name, value } of readAttributes(html, tag))
        if (name === 'property' || name === 'name') found.add(value.trim().toLowerCase());
    },
    LETTERS,
  );
  return found;
}
