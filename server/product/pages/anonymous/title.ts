import { decodeHTML } from 'entities/decode';
import { MAX_PAGE_NAME } from '../../../../contract/rules/limits.ts';
import { displayName } from '../../../lib/display-name.ts';
import { type Tag, walkTags } from '../serving/render/tags.ts';

/** Characters of a document in which its title is looked for. */
const MAX_SEARCHED = 64 * 1024;
/** Characters of a title before it is made readable: an entity is longer than what it stands for. */
const MAX_WRITTEN = 4 * MAX_PAGE_NAME;
/** The first letters of `title`, and of other elements whose content is text. */
const LETTERS = new Set([...'stxinp'].map((letter) => letter.charCodeAt(0)));

/** The title of a document as the name of a page; undefined if it has none that can be seen. */
export function readTitle(html: string): string | undefined {
  const searched = html.slice(0, MAX_SEARCHED);
  let found: Tag | undefined;
  walkTags(
    searched,
    (tag) => {
      if (tag.name === 'title') found ??= tag;
    },
    LETTERS,
  );
  if (!found) return undefined;
  const written = searched.slice(found.end, found.textEnd).slice(0, MAX_WRITTEN);
  return displayName(decodeHTML(written), MAX_PAGE_NAME) || undefined;
}
